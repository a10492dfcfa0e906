"""Read the text of a PDF, page by page."""

import io
import logging
from typing import Any

from backends.ingest.decoding import mend
from backends.ingest.loading import Loaded, UnreadableFile


def load_pdf(data: bytes) -> Loaded:
    """Extract the text that a PDF holds; pictures of text are not read.

    Raises:
        UnreadableFile: It is damaged, needs a password, or has no text.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it tells of every oddity it mends
    if b"%PDF-" not in data[:1024]:
        raise UnreadableFile("is not a PDF; check the file")
    try:
        loaded = _read(_decrypted(PdfReader(io.BytesIO(data))))
    except UnreadableFile:
        raise
    except (DependencyError, FileNotDecryptedError) as error:
        raise UnreadableFile("is encrypted; decrypt it with: qpdf --decrypt") from error
    except Exception as error:  # pypdf raises whatever a damaged file leads it to
        raise UnreadableFile(
            f"is damaged ({type(error).__name__}: {error}); repair it or print it to a new PDF"
        ) from error
    if not any(text.strip() for text, _ in loaded.parts):
        raise UnreadableFile("has no text; if it is a scan, recognise its text (OCR) first")
    return loaded


def _decrypted(reader: Any) -> Any:
    """Open a file that anybody may read, though it is encrypted against changes."""
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableFile("needs a password; remove it with: qpdf --decrypt")
    return reader


def _read(reader: Any) -> Loaded:
    mended = [mend(page.extract_text()) for page in reader.pages]
    remark = next((remark for _, remark in mended if remark), "")
    parts = [(text, number) for number, (text, _) in enumerate(mended, 1)]
    title = (reader.metadata.title if reader.metadata else None) or ""
    return Loaded(mend(str(title))[0].strip(), parts, remark=remark)
