"""Files are found once each, in order, and what is left out is named."""

import os
from pathlib import Path

import pytest

from backends.ingest.discovery import File, discover
from tests.backends.unprivileged import as_nobody, public_folder


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(*paths: Path) -> list[Path]:
    return [item.path for item in discover(paths) if isinstance(item, File)]


def left_out(*paths: Path) -> dict[str, tuple[str, str]]:
    items = [item for item in discover(paths) if not isinstance(item, File)]
    return {Path(item.source).name: (item.outcome, item.reason) for item in items}


def test_folders_are_walked_in_order_of_name(folder):
    paths = [write(folder / name) for name in ("a.md", "b/c.TXT", "b/d/e.html", "f.pdf")]
    assert found(folder) == paths


def test_hidden_entries_and_unknown_endings_are_skipped_and_named(folder):
    for name in (".env", ".git/config.md", "data.bin", "README"):
        write(folder / name)
    assert found(folder) == []
    skipped = left_out(folder)
    assert skipped[".env"] == skipped[".git"] == ("skipped", "hidden")
    assert skipped["data.bin"][0] == "skipped"
    assert "unknown ending '.bin'" in skipped["data.bin"][1]
    assert "unknown ending ''" in skipped["README"][1]


def test_a_file_that_is_named_is_taken_whatever_its_name(folder):
    paths = [write(folder / name) for name in (".hidden.md", "data.bin", ".config/a.md")]
    assert found(paths[0], paths[1], folder / ".config") == paths


def test_each_file_comes_once(folder):
    path = write(folder / "a.md")
    (folder / "link.md").symlink_to(path)
    assert found(folder, path, folder / "..", folder / "link.md") == [path]


def test_a_loop_of_links_ends(folder):
    path = write(folder / "sub" / "a.md")
    (folder / "sub" / "up").symlink_to(folder)
    (folder / "self.md").symlink_to(folder / "self.md")
    assert found(folder) == [path]
    assert left_out(folder)["self.md"][0] == "failed"


def test_links_to_folders_are_followed(folder, tmp_path):
    path = write(tmp_path / "elsewhere" / "a.md")
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    assert found(folder) == [path]


def test_a_link_to_nothing_is_told(folder):
    (folder / "gone.md").symlink_to(folder / "nothing")
    assert left_out(folder)["gone.md"] == ("failed", "cannot be read: no such file or directory")


def test_a_missing_path_is_told(folder):
    assert left_out(folder / "nothing.md") == {
        "nothing.md": ("failed", "does not exist; check the path")
    }


def test_a_pipe_is_not_opened(folder):
    os.mkfifo(folder / "pipe.md")
    assert left_out(folder)["pipe.md"] == ("skipped", "is not a regular file")
    assert left_out(folder / "pipe.md")["pipe.md"] == ("failed", "is not a regular file")


def test_a_closed_folder_is_told_and_the_others_are_walked():
    with public_folder() as folder:
        write(folder / "closed" / "a.md")
        path = write(folder / "open" / "b.md")
        (folder / "closed").chmod(0)
        with as_nobody():
            assert found(folder) == [path.resolve()]
            assert left_out(folder)["closed"] == ("failed", "cannot be read: permission denied")


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_that_is_not_unicode_is_shown_escaped(folder):
    path = os.path.join(os.fsencode(folder), b"caf\xe9.md")
    with open(path, "w") as file:
        file.write("text")
    (only,) = discover([folder])
    assert isinstance(only, File)
    assert only.source.endswith(r"caf\xe9.md")
    only.source.encode()
