"""Files in, chunks in the index and a report out."""

import os
from pathlib import Path

import pytest

from backends.ingest import IngestReport, Progress, ingest
from state.errors import IngestError
from tests.backends.ingest.pdfs import pdf
from tests.backends.unprivileged import as_nobody, public_folder

LONG = "\n\n".join(f"## Part {n}\n\nThe river {n} flows to the sea. " * 8 for n in range(40))


def outcomes(report: IngestReport) -> dict[str, str]:
    return {Path(file.source).name: file.outcome for file in report.files}


def reason(report: IngestReport, name: str) -> str:
    return next(file.reason for file in report.files if Path(file.source).name == name)


def ids(index) -> dict[str, str]:
    return {d["id"]: d["content"] for d in index.search("river", 10_000)}


def test_ingesting_three_times_stores_each_chunk_once(index, folder, embedder):
    (folder / "a.md").write_text(LONG)
    (folder / "b.txt").write_text("The bridge is 20 m wide.")
    first = ingest([folder], index)
    before, heard = ids(index), len(embedder.heard)
    assert outcomes(first) == {"a.md": "added", "b.txt": "added"}
    assert first.new_chunks == index.count() == len(before) > 10
    for _ in range(2):
        assert outcomes(ingest([folder], index)) == {"a.md": "unchanged", "b.txt": "unchanged"}
    assert ids(index) == before
    assert len(embedder.heard) == heard + 1  # the search's query
    assert len({d["content"] for d in index.search("river", 4)}) == 4


def test_chunks_know_where_they_come_from(index, folder):
    (folder / "a.md").write_text("Intro\n\n# The river\n\nText")
    (folder / "b.txt").write_text("Plain")
    (folder / "c.html").write_text("<title>Sea</title><p>Salt")
    (folder / "d.pdf").write_bytes(pdf("One", "Two"))
    ingest([folder], index)
    found = {
        (Path(m["source"]).name, m["title"], m["position"], m.get("page"))
        for m in (d["metadata"] for d in index.search("x", 9))
    }
    assert {entry for entry in found if entry[0] != "a.md"} == {
        ("b.txt", "b.txt", 0, None),
        ("c.html", "Sea", 0, None),
        ("d.pdf", "d.pdf", 0, 1),
        ("d.pdf", "d.pdf", 1, 2),
    }
    assert {entry[1] for entry in found if entry[0] == "a.md"} == {"The river"}
    sources = {d["metadata"]["source"] for d in index.search("x", 9)}
    assert all(os.path.isabs(source) for source in sources)


def test_of_a_changed_file_only_new_text_is_embedded_and_old_text_keeps_its_id(
    index, folder, embedder
):
    (folder / "a.md").write_text(LONG)
    ingest([folder], index)
    before, heard = ids(index), len(embedder.heard)
    (folder / "a.md").write_text(LONG.replace("The river 7 ", "The rivulet 7 "))
    report = ingest([folder], index)
    after = ids(index)
    assert outcomes(report) == {"a.md": "updated"}
    assert report.new_chunks == len(set(after) - set(before)) > 0
    assert report.removed_chunks == len(set(before) - set(after)) > 0
    assert set(before) & set(after)
    assert len(embedder.heard) - heard == report.new_chunks + 1
    assert {i: before[i] for i in before if i in after} == {
        i: after[i] for i in before if i in after
    }
    assert not any("The river 7 " in text for text in after.values())
    assert index.count() == len(after)


def test_the_way_a_path_is_written_does_not_matter(index, folder, monkeypatch):
    (folder / "a.md").write_text("text")
    ingest([folder], index)
    monkeypatch.chdir(folder)
    for path in ("a.md", "./a.md", "../docs", Path("a.md")):
        assert outcomes(ingest([path], index)) == {"a.md": "unchanged"}
    assert index.count() == 1


def test_a_bad_file_among_a_hundred_is_reported_and_the_others_are_ingested(index, folder):
    for n in range(100):
        (folder / f"{n:03}.md").write_text(f"Document {n}")
    (folder / "050.md").unlink()
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7\ngarbage")
    report = ingest([folder], index)
    assert report.counts["added"] == 99
    assert report.counts["failed"] == 1
    assert "is damaged" in reason(report, "bad.pdf")
    assert index.count() == 99


def test_an_empty_file_is_skipped_and_one_that_became_empty_loses_its_chunks(index, folder):
    (folder / "a.md").write_text("text")
    (folder / "b.md").write_text("")
    (folder / "c.md").write_text(" \n\n ")
    report = ingest([folder], index)
    assert outcomes(report) == {"a.md": "added", "b.md": "skipped", "c.md": "skipped"}
    assert reason(report, "b.md") == "has no text"
    (folder / "a.md").write_text("")
    report = ingest([folder], index)
    assert outcomes(report)["a.md"] == "updated"
    assert report.removed_chunks == 1
    assert index.count() == 0


def test_a_file_over_the_limit_is_not_read(index, folder):
    (folder / "a.md").write_text("text")
    with open(folder / "big.txt", "wb") as file:
        file.truncate(200_000_000)  # takes no room on the disk
    report = ingest([folder], index)
    assert outcomes(report) == {"a.md": "added", "big.txt": "failed"}
    assert reason(report, "big.txt").startswith("is 200 MB, more than the limit of 50 MB; split it")
    (folder / "b.md").write_text("more than four bytes")
    assert outcomes(ingest([folder], index, max_bytes=4))["b.md"] == "failed"


def test_a_file_that_cannot_be_read_any_more_keeps_what_is_stored_of_it(index, folder):
    (folder / "a.pdf").write_bytes(pdf("Text"))
    (folder / "b.md").write_text("text")
    ingest([folder], index)
    (folder / "a.pdf").write_bytes(b"half written")
    assert outcomes(ingest([folder], index)) == {"a.pdf": "failed", "b.md": "unchanged"}
    assert index.count() == 2


def test_a_file_without_permission_is_reported(index):
    with public_folder() as folder:
        (folder / "a.md").write_text("text")
        (folder / "b.md").write_text("text")
        ingest([folder / "a.md"], index)
        (folder / "b.md").chmod(0)
        with as_nobody():
            report = ingest([folder], index)
        assert outcomes(report) == {"a.md": "unchanged", "b.md": "failed"}
        assert reason(report, "b.md") == "cannot be read: permission denied"


def test_a_surrogate_is_replaced_and_the_file_ingested(index, folder):
    (folder / "a.md").write_bytes(b"river \xed\xa0\x80")
    report = ingest([folder], index)
    assert "replaced by U+FFFD" in reason(report, "a.md")
    assert index.search("river", 1)[0]["content"] == "river \ufffd"


def test_a_deleted_file_stays_until_it_is_pruned(index, folder, tmp_path):
    elsewhere = tmp_path / "elsewhere.md"
    for path in (folder / "a.md", folder / "b.md", elsewhere):
        path.write_text("text")
    ingest([folder, elsewhere], index)
    (folder / "a.md").unlink()
    elsewhere.unlink()
    assert outcomes(ingest([folder], index)) == {"b.md": "unchanged"}
    assert index.count() == 3
    report = ingest([folder], index, prune=True)
    assert outcomes(report) == {"a.md": "removed", "b.md": "unchanged"}
    assert report.removed_chunks == 1
    assert index.count() == 2  # what lies outside the given paths is left alone


def test_a_folder_that_is_gone_can_be_pruned(index, folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "a.md").write_text("text")
    ingest([folder], index)
    (folder / "sub" / "a.md").unlink()
    (folder / "sub").rmdir()
    assert outcomes(ingest([folder / "sub"], index, prune=True)) == {"a.md": "removed"}
    assert index.count() == 0


def test_pruning_keeps_files_that_fail(index, folder):
    (folder / "a.md").write_text("text")
    ingest([folder], index)
    (folder / "a.md").write_bytes(b"\0")
    (folder / "b.md").write_text("text")
    assert outcomes(ingest([folder], index, prune=True)) == {"a.md": "failed", "b.md": "added"}
    assert index.count() == 2


def test_pruning_keeps_files_that_cannot_be_reached(index):
    with public_folder() as folder:
        (folder / "sub").mkdir()
        for path in (folder / "a.md", folder / "sub" / "b.md"):
            path.write_text("text")
        ingest([folder], index)
        (folder / "sub").chmod(0)
        with as_nobody():
            report = ingest([folder], index, prune=True)
        assert outcomes(report) == {"a.md": "unchanged", "sub": "failed"}
        assert index.count() == 2


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "Nothing to ingest in .*docs: no Markdown, text, HTML or PDF file"),
        ({"a.bin": b"x"}, r"Nothing was ingested\. .*a\.bin: unknown ending"),
        ({"a.md": b""}, r"Nothing was ingested\. .*a\.md: has no text"),
        ({"a.md": b"\0", "b.md": b""}, r"Nothing was ingested\. .*a\.md is binary, not text"),
        ({f"{n}.pdf": b"x" for n in range(9)}, r"is not a PDF.*1\.pdf.*\(and 7 more\)\.$"),
    ],
)
def test_it_is_an_error_when_nothing_could_be_ingested(index, folder, files, message):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with pytest.raises(IngestError, match=message):
        ingest([folder], index)
    assert index.count() == 0


def test_a_path_that_does_not_exist_is_an_error_alone_and_reported_among_others(index, folder):
    with pytest.raises(IngestError, match=r"nothing\.md does not exist; check the path"):
        ingest([folder / "nothing.md"], index)
    (folder / "a.md").write_text("text")
    report = ingest([folder / "nothing.md", folder], index)
    assert outcomes(report) == {"a.md": "added", "nothing.md": "failed"}


def test_no_path_is_an_error(index):
    with pytest.raises(IngestError, match="Nothing to ingest in no path"):
        ingest([], index)


def test_progress_grows_to_the_size_of_all_files(index, folder):
    (folder / "a.md").write_text(LONG * 20)
    (folder / "b.md").write_text("text")
    (folder / "c.pdf").write_bytes(b"bad")
    seen: list[Progress] = []
    report = ingest([folder], index, progress=seen.append)
    done = [progress.done for progress in seen]
    assert done == sorted(done)
    assert len(set(done)) > 3
    assert done[-1] == seen[-1].total == sum(path.stat().st_size for path in folder.iterdir())
    assert seen[-1].chunks == report.new_chunks
    assert {Path(progress.file).name for progress in seen} == {"a.md", "b.md", "c.pdf"}


def test_small_files_are_embedded_together(index, folder, embedder):
    for n in range(60):
        (folder / f"{n}.md").write_text(f"Document {n}")
    calls = []
    embed = embedder.embed
    embedder.embed = lambda texts: calls.append(len(texts)) or embed(texts)
    ingest([folder], index)
    assert calls == [60]


def test_the_report_can_be_written_as_json(index, folder):
    (folder / "a.md").write_text("text")
    report = ingest([folder], index)
    written = report.model_dump(mode="json")
    assert written["counts"]["added"] == written["new_chunks"] == 1
    assert written["files"][0]["outcome"] == "added"
