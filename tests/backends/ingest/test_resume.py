"""A run that is killed at any point is continued by the next one."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backends.chroma import ChromaIndex
from backends.ingest import ingest
from tests.backends.word_embedder import WordEmbedder

ROOT = Path(__file__).parents[3]

RUN = """
import sys, time
from backends.chroma import ChromaIndex
from backends.ingest import ingest
from tests.backends.word_embedder import WordEmbedder

path, folder, stop_after = sys.argv[1], sys.argv[2], int(sys.argv[3])

def stop(progress):
    if progress.chunks >= stop_after:
        print("stopped", flush=True)
        time.sleep(600)

print("started", flush=True)
with ChromaIndex(path, embedder=WordEmbedder()) as index:
    ingest([folder], index, progress=stop)
print("finished", flush=True)
"""


def run_and_kill(index: ChromaIndex, folder: Path, *, after: int) -> None:
    """Ingest in another process, and kill that when so many chunks are stored."""
    with running(index, folder, after) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["started\n", "stopped\n"]


@contextmanager
def running(index: ChromaIndex, folder: Path, stop_after: int) -> Iterator[subprocess.Popen]:
    index.close()
    command = [sys.executable, "-c", RUN, str(index.path), str(folder), str(stop_after)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def write_documents(folder: Path, files: int, parts: int) -> None:
    for f in range(files):
        text = "\n\n".join(f"# Part {f}.{p}\n\n{f'The river {f} {p}. ' * 40}" for p in range(parts))
        (folder / f"{f:02}.md").write_text(text)


def contents(index: ChromaIndex) -> list[tuple[str, int, str]]:
    found = index.search("river", 100_000)
    assert len({document["id"] for document in found}) == len(found) == index.count()
    return sorted((d["metadata"]["source"], d["metadata"]["position"], d["content"]) for d in found)


def assert_whole_files(index: ChromaIndex, expected: list[tuple[str, int, str]]) -> None:
    there = contents(index)
    stored = set(index.fingerprints())
    assert there == [chunk for chunk in expected if chunk[0] in stored]


@pytest.fixture
def expected(folder, tmp_path) -> list[tuple[str, int, str]]:
    """What an undisturbed run stores."""
    write_documents(folder, files=4, parts=200)
    with ChromaIndex(tmp_path / "undisturbed", embedder=WordEmbedder()) as index:
        ingest([folder], index)
        return contents(index)


def test_a_killed_run_leaves_whole_files_and_the_next_one_completes_it(index, folder, expected):
    run_and_kill(index, folder, after=700)
    assert len(index.fingerprints()) == 3
    assert_whole_files(index, expected)
    heard = len(index.embedder.heard)
    report = ingest([folder], index)
    assert report.counts == {**dict.fromkeys(report.counts, 0), "unchanged": 3, "added": 1}
    assert contents(index) == expected
    assert len(index.embedder.heard) == heard + 1  # the search: all was embedded before


def test_a_killed_update_leaves_the_old_version_until_the_next_run(index, folder, expected):
    ingest([folder], index)
    for path in folder.iterdir():
        path.write_text(path.read_text().replace("The river", "The stream"))
    run_and_kill(index, folder, after=300)
    assert contents(index) == expected
    ingest([folder], index)
    texts = [content for _, _, content in contents(index)]
    assert len(texts) == index.count()
    assert not any("The river" in text for text in texts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_runs_killed_at_random_never_break_the_index(index, folder, expected, seed):
    chance = random.Random(seed)
    for _ in range(4):
        with running(index, folder, 10**9) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0.5, 3))
        assert_whole_files(index, expected)
    ingest([folder], index)
    assert contents(index) == expected
