"""The folder of an index: its lock, its client, and what goes wrong with them."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from state.errors import ConfigError, IndexFailed

AGAIN = "Delete the folder, or set CRAG_INDEX_PATH to a new one, and ingest again."


def exists(path: Path) -> bool:
    """Say whether there is a database to read."""
    return (path / "chroma.sqlite3").exists()


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn what the libraries raise into errors that name the folder."""
    from chromadb.errors import ChromaError, InvalidArgumentError

    try:
        yield
    except InvalidArgumentError as cause:
        raise ConfigError(f"Chroma refuses a setting of the index in {path}: {cause}") from cause
    except (ChromaError, sqlite3.Error) as cause:
        if path.exists() and not _writable(path):
            raise ConfigError(_no_right(path)) from cause
        raise IndexFailed(
            f"The index in {path} failed: {cause}. If it stays so: {AGAIN}"
        ) from cause


@contextmanager
def locked(path: Path, wait: float) -> Iterator[None]:
    """Keep other processes out: Chroma does not, and then loses writes without a word.

    Raises:
        ConfigError: The folder cannot be written.
        IndexFailed: Another process has it after ``wait`` seconds.
    """
    from filelock import FileLock, Timeout

    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / ".lock", thread_local=False, is_singleton=True)
        lock.acquire(timeout=wait)
    except Timeout as cause:
        raise IndexFailed(
            f"The index in {path} is in use by another program{_owner(path)}. Wait until that "
            "ends, or set CRAG_INDEX_PATH to a folder of its own for this one."
        ) from cause
    except OSError as cause:
        raise ConfigError(_no_right(path)) from cause
    try:
        with suppress(OSError):  # it only makes the message above better
            _owner_file(path).write_text(str(os.getpid()))
        yield
    finally:
        lock.release()


@contextmanager
def client(path: Path) -> Iterator[Any]:
    """Open Chroma, and close it again; it reports to nobody and reads no ``.env``."""
    import chromadb
    from chromadb.config import Settings

    quiet = Settings(_env_file=None, anonymized_telemetry=False)
    opened: Any = chromadb.PersistentClient(path, settings=quiet)
    with opened:
        yield opened


def _owner_file(path: Path) -> Path:
    return path / ".owner"


def _owner(path: Path) -> str:
    try:
        return f" (process {int(_owner_file(path).read_text())})"
    except (OSError, ValueError):
        return ""


def _writable(path: Path) -> bool:
    own = os.access in os.supports_effective_ids
    files = (path, *path.glob("*.sqlite3"))
    return all(os.access(file, os.W_OK, effective_ids=own) for file in files)


def _no_right(path: Path) -> str:
    return (
        f"The index folder {path} cannot be written, which reading needs too (Chroma locks its "
        "database). Give this user write permission, or set CRAG_INDEX_PATH to another folder."
    )
