"""Parameters: bounded, described, JSON, and helpful when misspelt."""

import json

import pytest
from pydantic import ValidationError

from graphs import NAMES, load
from state.context import Context
from state.corrective import CorrectiveContext


def test_parameters_cannot_be_changed_after_the_start():
    with pytest.raises(ValidationError, match="frozen"):
        CorrectiveContext().top_k = 5


@pytest.mark.parametrize(
    ("name", "meant"), [("topk", "top_k"), ("max_regeneration", "max_regenerations"), ("zzz", None)]
)
def test_an_unknown_parameter_is_named_with_the_nearest_one_and_all_there_are(name, meant):
    with pytest.raises(ValidationError) as caught:
        CorrectiveContext(**{name: 1})
    said = str(caught.value)
    assert f"Unknown parameter {name!r}." in said
    assert ("Did you mean" in said) is (meant is not None)
    assert meant is None or f"Did you mean {meant!r}?" in said
    assert "Parameters: top_k, max_regenerations, web_search." in said


@pytest.mark.parametrize("graph", NAMES)
def test_every_graph_has_parameters_with_defaults_descriptions_and_json_values(graph):
    context = load(graph).Context
    assert issubclass(context, Context)
    values = context().model_dump(mode="json")
    assert context.model_validate(json.loads(json.dumps(values))) == context()
    assert all(field.description for field in context.model_fields.values())
