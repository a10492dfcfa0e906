"""``crag graphs`` lists what there is."""

import json

import graphs
from scripts.parameters import description


def test_every_graph_is_listed_with_its_parameters_defaults_and_bounds(crag):
    listed = json.loads(crag("graphs", "--json").stdout)

    assert [graph["name"] for graph in listed] == list(graphs.NAMES)
    top_k = listed[0]["parameters"][0]
    assert (top_k["name"], top_k["default"], top_k["minimum"], top_k["maximum"]) == (
        "top_k", 4, 1, 50
    )  # fmt: skip


def test_the_description_is_the_first_line_of_the_graph_s_docstring():
    for name in graphs.NAMES:
        first = (graphs.load(name).__doc__ or "").partition("\n")[0]
        assert description(name) == first != ""


def test_the_text_names_each_parameter_with_its_default(crag):
    lines = [" ".join(line.split()) for line in crag("graphs").stdout.splitlines()]

    assert "corrective" in lines
    assert any(line.startswith("--top-k 4 (1 to 50) Documents retrieved") for line in lines)
    assert any(line.startswith("--web-search auto (auto, ask, off)") for line in lines)
