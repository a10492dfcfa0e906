"""The folder of an index: shared in a process, closed to others, and told when it is unfit."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from backends.chroma import ChromaIndex
from backends.settings import Settings
from state.errors import ConfigError, IndexFailed
from tests.backends.index_invariants import source, words
from tests.backends.unprivileged import as_nobody, public_folder
from tests.backends.word_embedder import WordEmbedder

ROOT = Path(__file__).parents[2]

HOLDER = """
import sys
from backends.chroma import ChromaIndex
from tests.backends.word_embedder import WordEmbedder
index = ChromaIndex(sys.argv[1], embedder=WordEmbedder())
index.search("x", 1)
print("open", flush=True)
sys.stdin.read()
"""


def make(path: Path, **options) -> ChromaIndex:
    return ChromaIndex(path, embedder=WordEmbedder(), wait=0, **options)


def filled(path: Path) -> Path:
    with make(path) as index:
        index.store([source("a", *words(3))])
    return path


def test_another_process_is_kept_out_and_told_who_has_the_folder(tmp_path):
    path = filled(tmp_path / "index")
    command = [sys.executable, "-c", HOLDER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as other:
        assert other.stdout.readline() == "open\n"
        waits = f"{path} is in use by another program .process {other.pid}.*CRAG_INDEX_PATH"
        for use in (lambda i: i.search("x", 1), lambda i: i.store([source("b", "x")])):
            with pytest.raises(IndexFailed, match=waits), make(path) as index:
                use(index)
        other.stdin.close()
        other.wait()
    with make(path) as index:
        assert index.count() == 3


def test_a_process_that_was_killed_leaves_no_lock(tmp_path):
    path = filled(tmp_path / "index")
    command = [sys.executable, "-c", HOLDER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as other:
        other.stdout.readline()
        other.kill()
    with make(path) as index:
        assert index.count() == 3


def test_instances_in_one_process_share_the_folder(tmp_path):
    first, second = make(tmp_path / "index"), make(tmp_path / "x" / ".." / "index")
    first.store([source("a", "ant")])
    assert second.count() == 1
    second.store([source("b", "bee")])
    assert [d["content"] for d in first.search("bee", 1)] == ["bee"]
    first.close()
    assert second.count() == 2
    second.close()
    second.close()


def test_collections_in_one_folder_are_apart(tmp_path):
    with make(tmp_path) as one, make(tmp_path, collection="other") as two:
        one.store([source("a", "ant")])
        two.store([source("a", "bee")])
        assert [d["content"] for d in one.search("x", 9)] == ["ant"]
        assert [d["content"] for d in two.search("x", 9)] == ["bee"]


def test_a_closed_index_opens_again_when_it_is_used(tmp_path):
    index = make(filled(tmp_path / "index"))
    for _ in range(3):
        assert len(index.search("ant", 9)) == 3
        index.close()


def test_reading_an_index_that_does_not_exist_finds_nothing_and_makes_nothing(tmp_path):
    with make(tmp_path / "index") as index:
        assert index.search("x", 4) == []
        assert index.count() == 0
        assert index.fingerprints() == {}
        assert index.remove(["a"]) == 0
    assert not (tmp_path / "index").exists()


def test_threads_search_while_another_stores(tmp_path):
    with make(tmp_path / "index") as index:
        index.store([source("a", *words(50))])
        wrong: list[int] = []
        done = threading.Event()

        def search() -> None:
            while not done.is_set():
                sizes = {len(index.search("ant", 500))}
                wrong.extend(sizes - {50, 350})

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            index.store([source("b", *words(300, seed=1))])
            index.remove(["b"])
        done.set()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_folder_that_cannot_be_written_is_one_line_that_names_it():
    with public_folder() as folder:
        path = filled(folder / "index")
        for file in [*path.rglob("*"), path]:
            file.chmod(0o555 if file.is_dir() else 0o444)
        with as_nobody(), make(path) as index, pytest.raises(ConfigError) as failure:
            index.search("ant", 1)
    assert "\n" not in str(failure.value)
    assert f"{path} cannot be written" in str(failure.value)
    assert "Give this user write permission" in str(failure.value)


def test_a_database_that_cannot_be_written_is_told_the_same_way():
    with public_folder() as folder:
        path = filled(folder / "index")
        path.chmod(0o777)
        for file in path.iterdir():
            file.chmod(0o777 if file.name.startswith(".") or file.is_dir() else 0o444)
        with (
            as_nobody(),
            make(path) as index,
            pytest.raises(ConfigError, match="cannot be written"),
        ):
            index.search("ant", 1)


def test_a_path_that_is_a_file_is_told(tmp_path):
    (tmp_path / "index").write_text("a file")
    with make(tmp_path / "index") as index, pytest.raises(ConfigError, match="cannot be written"):
        index.store([source("a", "ant")])


@pytest.mark.parametrize("file", ["chroma.sqlite3", "documents.ledger.sqlite3"])
def test_a_damaged_file_is_told_with_what_to_do(tmp_path, file):
    path = filled(tmp_path / "index")
    (path / file).write_bytes(b"no database " * 1000)
    for leftover in path.glob(f"{file}-*"):
        leftover.unlink()
    with make(path) as index, pytest.raises(IndexFailed) as failure:
        index.search("ant", 1)
    assert f"The index in {path} failed: " in str(failure.value)
    assert "Delete the folder" in str(failure.value)


def test_chunks_that_are_missing_are_told(tmp_path):
    with make(tmp_path) as index:
        index.store([source("a", *words(3))])
        index._shelf.collection.delete([index.search("ant", 1)[0]["id"]])
        index._shelf.changed()
        with pytest.raises(
            IndexFailed, match=r"1 of 3 chunks are missing from .* Delete the folder"
        ):
            index.search("ant", 1)


def test_a_deleted_database_is_an_empty_index_that_can_be_filled_again(tmp_path):
    path = filled(tmp_path / "index")
    (path / "chroma.sqlite3").unlink()
    with make(path) as index:
        assert index.search("ant", 4) == []
        assert index.fingerprints() == {}
        index.store([source("a", *words(3))])
        assert len(index.search("ant", 4)) == 3


def test_a_deleted_folder_can_be_filled_again(tmp_path):
    path = filled(tmp_path / "index")
    shutil.rmtree(path)
    assert filled(path).exists()


def test_a_collection_of_somebody_else_is_refused(tmp_path):
    import chromadb

    with chromadb.PersistentClient(tmp_path) as client:
        client.create_collection("documents", embedding_function=None)
    with make(tmp_path) as index, pytest.raises(ConfigError, match="was not made by this version"):
        index.store([source("a", "ant")])


def test_a_collection_name_that_chroma_refuses_is_told(tmp_path):
    with make(tmp_path, collection="a/b") as index, pytest.raises(ConfigError, match="3-512"):
        index.store([source("a", "ant")])


def test_a_reset_empties_the_index_for_another_embedder_as_often_as_wanted(tmp_path):
    path = filled(tmp_path / "index")
    for name in ("words-2", "words-3"):
        with ChromaIndex(path, embedder=WordEmbedder(name, dimensions=32)) as index:
            index.reset()
            assert index.search("ant", 4) == []
            index.store([source("a", "ant")])
            index.reset()
            index.store([source("a", "bee")])
            assert [d["content"] for d in index.search("x", 4)] == ["bee"]
    with make(path) as index, pytest.raises(ConfigError, match="made with words-3, but words-1"):
        index.count()


def test_the_settings_say_where_the_index_is(tmp_path):
    settings = Settings(_env_file=None, index_path=tmp_path / "i", collection="mine")
    with ChromaIndex.from_settings(settings) as index:
        index.store([source("a", "The bridge is 20 m wide.", "Cats sleep a lot.")])
        assert index.search("How broad is the bridge?", 1)[0]["content"].startswith("The bridge")
    assert (tmp_path / "i" / "mine.ledger.sqlite3").exists()


def test_chroma_is_told_to_report_to_nobody(tmp_path, monkeypatch):
    import chromadb

    heard = []
    real = chromadb.PersistentClient
    monkeypatch.setattr(
        chromadb,
        "PersistentClient",
        lambda path, settings: heard.append(settings) or real(path, settings=settings),
    )
    filled(tmp_path / "index")
    assert [settings.anonymized_telemetry for settings in heard] == [False]
