"""``crag draw``: Mermaid on stdout, pictures in files, without a network."""

import html
import re
import struct

import pytest

import graphs
from scripts.drawing import mermaid
from scripts.exits import Code


@pytest.mark.parametrize("name", graphs.NAMES)
def test_the_drawing_names_every_node_and_is_the_same_each_time(name):
    text = mermaid(name)

    assert all(node in text for node in graphs.load(name).build().nodes)
    assert mermaid(name) == text


def test_mermaid_goes_to_stdout(crag):
    assert crag("draw", "corrective").stdout == mermaid("corrective")


def test_a_png_is_as_large_as_is_readable(crag, tmp_path):
    result = crag("draw", "corrective", "--output", tmp_path / "graph.png")
    data = (tmp_path / "graph.png").read_bytes()

    assert result.exit_code == Code.DONE
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width == 1200
    assert height > width


@pytest.mark.parametrize("name", graphs.NAMES)
def test_an_svg_has_each_node_and_each_label_as_text(crag, tmp_path, name):
    crag("draw", name, "-o", tmp_path / "graph.svg")
    svg = (tmp_path / "graph.svg").read_text()
    shown = " ".join(html.unescape(re.sub("<[^>]*>", " ", svg)).split())

    assert svg.startswith("<svg")
    for node in graphs.load(name).build().nodes:
        assert f">{node}<" in svg
    for label in re.findall(r"\|(.*?)\|", mermaid(name)):
        assert label in shown


@pytest.mark.parametrize("name", graphs.NAMES)
def test_every_graph_can_be_drawn_as_a_picture(name, crag, tmp_path):
    assert crag("draw", name, "-o", tmp_path / "graph.svg").exit_code == Code.DONE


def test_labels_of_edges_may_have_dots(crag, tmp_path):
    crag("draw", "study", "-o", tmp_path / "graph.svg")

    assert "rerank -.->|top_score >= 0.8| generate;" in mermaid("study")
    assert "top_score &gt;= 0.8" in (tmp_path / "graph.svg").read_text()


def test_a_mermaid_file_is_the_same_text(crag, tmp_path):
    crag("draw", "corrective", "-o", tmp_path / "graph.mmd")

    assert (tmp_path / "graph.mmd").read_text() == mermaid("corrective")


def test_another_ending_is_refused_with_those_there_are(crag, tmp_path):
    result = crag("draw", "corrective", "-o", tmp_path / "graph.gif")

    assert result.exit_code == Code.USAGE
    assert "End it with .mmd, .png or .svg." in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(crag, tmp_path):
    result = crag("draw", "corrective", "-o", tmp_path / "none" / "graph.svg")

    assert result.exit_code == Code.USAGE
    assert result.stderr == f"Error: {tmp_path}/none/graph.svg: No such file or directory.\n"


def test_an_unknown_graph_is_named_with_those_there_are(crag):
    result = crag("draw", "corrective2")

    assert result.exit_code == Code.USAGE
    assert "Graphs: corrective" in result.stderr
