"""Chunks know where they come from."""

from backends.ingest.chunking import chunks
from backends.ingest.loading import Loaded


def test_chunks_know_title_position_and_page():
    loaded = Loaded("A title", [("First page.", 1), (" ", 2), ("Third page.", 3)])
    assert chunks(loaded, "file.pdf") == [
        {"content": "First page.", "metadata": {"title": "A title", "position": 0, "page": 1}},
        {"content": "Third page.", "metadata": {"title": "A title", "position": 1, "page": 3}},
    ]


def test_without_a_title_the_file_gives_its_name():
    assert chunks(Loaded("", [("Text.", None)]), "notes.txt") == [
        {"content": "Text.", "metadata": {"title": "notes.txt", "position": 0}}
    ]
