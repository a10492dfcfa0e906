"""Read Markdown, text, HTML and PDF files, cut them into chunks and store them in an index."""

from backends.ingest.report import FileOutcome, IngestReport, Outcome, Progress
from backends.ingest.run import MAX_BYTES, ingest

__all__ = ["MAX_BYTES", "FileOutcome", "IngestReport", "Outcome", "Progress", "ingest"]
