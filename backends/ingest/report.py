"""What ingestion tells: while it runs, and in the end."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, computed_field

Outcome = Literal["added", "updated", "unchanged", "skipped", "failed", "removed"]
"""``skipped``: on purpose. ``failed``: the user should know why; what an earlier run stored of
the file is kept. ``removed``: the file is gone, and so are its chunks."""


class FileOutcome(BaseModel):
    """What became of one file or folder.

    Attributes:
        source: Its absolute path, as in the metadata of its chunks.
        outcome: What was done.
        chunks: How many chunks it has in the index now, if this run stored it.
        new_chunks: How many of those were not there before.
        removed_chunks: How many chunks it had and has no more.
        reason: Why it was skipped or failed; else a remark, or empty.
    """

    source: str
    outcome: Outcome
    chunks: int = 0
    new_chunks: int = 0
    removed_chunks: int = 0
    reason: str = ""


class IngestReport(BaseModel):
    """What became of everything, sorted by source.

    Attributes:
        files: One for each file; hidden and unreadable folders count as one.
    """

    files: list[FileOutcome]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def counts(self) -> dict[str, int]:
        """Files by outcome; every outcome is there."""
        counted = Counter(file.outcome for file in self.files)
        return {outcome: counted[outcome] for outcome in get_args(Outcome)}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def new_chunks(self) -> int:
        """Chunks that were not there before."""
        return sum(file.new_chunks for file in self.files)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def removed_chunks(self) -> int:
        """Chunks that are there no more."""
        return sum(file.removed_chunks for file in self.files)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far ingestion is.

    Attributes:
        done: Bytes of files that are dealt with; those of a file being embedded pro rata.
        total: Bytes of all files.
        chunks: Chunks stored so far, unchanged ones of changed files included.
        file: The file that was read last.
    """

    done: int
    total: int
    chunks: int
    file: str
