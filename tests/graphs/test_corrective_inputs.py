"""What a caller may get wrong: the question, the parameters, the backends."""

import pytest
from pydantic import ValidationError

from backends import Backends
from graphs import corrective, load
from state.corrective import CorrectiveContext
from state.errors import BadQuestion, ConfigError, CragError
from tests.graphs.corrective_kit import COLOURS, Kit, run


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, 'No question was given. Pass it as {"question": "…"}.'),
        ({"questoin": "x"}, "No question was given."),
        ({"question": None}, "No question was given."),
        ({"question": 7}, "No question was given."),
        ({"question": ["x"]}, "No question was given."),
        ({"question": ""}, "The question is empty."),
        ({"question": " \n\t\u3000"}, "The question is empty."),
        ({"question": "a\ud800b"}, r"lone surrogate\) at position 1"),
    ],
    ids=["missing", "misspelt", "none", "number", "list", "empty", "blank", "surrogate"],
)
async def test_a_bad_question_is_refused_before_any_call(colour, given, said):
    kit = Kit()
    with pytest.raises(BadQuestion, match=said.replace("{", r"\{").replace("?", r"\?")):
        await run(kit, colour, given)
    assert set(kit.heard().values()) == {0}


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    ("context", "field", "bound"),
    [
        ({"top_k": 0}, "top_k", "greater than or equal to 1"),
        ({"top_k": 51}, "top_k", "less than or equal to 50"),
        ({"top_k": "many"}, "top_k", "valid integer"),
        ({"top_k": None}, "top_k", "valid integer"),
        ({"max_regenerations": -1}, "max_regenerations", "greater than or equal to 0"),
        ({"max_regenerations": 11}, "max_regenerations", "less than or equal to 10"),
        ({"web_search": "maybe"}, "web_search", "'auto', 'ask' or 'off'"),
    ],
)
async def test_a_parameter_out_of_bounds_names_the_field_and_its_bounds(
    colour, context, field, bound
):
    kit = Kit()
    with pytest.raises(ValidationError) as caught:
        await run(kit, colour, **context)
    (error,) = caught.value.errors()
    assert error["loc"] == (field,)
    assert bound in error["msg"]
    assert set(kit.heard().values()) == {0}


def test_an_unknown_parameter_is_named_with_the_one_that_was_meant():
    with pytest.raises(ValidationError) as caught:
        Kit().ask(topk=4)
    assert "Unknown parameter 'topk'. Did you mean 'top_k'?" in str(caught.value)
    assert "Parameters: top_k, max_regenerations, web_search." in str(caught.value)


@pytest.mark.parametrize("context", [3, "top_k", ["top_k"]])
def test_a_context_that_is_no_mapping_is_refused_with_what_it_must_be(context):
    with pytest.raises(ValidationError, match="valid dictionary or instance of CorrectiveContext"):
        Kit().graph.invoke({"question": "x"}, context=context)


@pytest.mark.parametrize("context", [None, {}, CorrectiveContext(), {"top_k": 4}])
def test_parameters_that_are_left_out_have_the_stated_defaults(context):
    kit = Kit()
    kit.graph.invoke({"question": "Who runs payroll?"}, context=context)
    assert kit.index.heard == [("Who runs payroll?", 4)]
    assert CorrectiveContext().model_dump() == {
        "top_k": 4,
        "max_regenerations": 2,
        "web_search": "auto",
    }


def test_a_question_is_asked_and_returned_as_it_was_written():
    kit = Kit()
    question = "  If A = {1;2;3}, what is A ∩ B?\r\n"
    assert kit.ask(question)["question"] == question
    assert kit.index.queries == [question]


def test_the_graph_is_there_without_a_key_or_an_index():
    assert corrective.graph.name == "corrective"
    assert load("corrective") is corrective
    assert corrective.build().compile().get_graph().nodes.keys() == (
        corrective.graph.get_graph().nodes.keys()
    )


def test_a_graph_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(ConfigError, match=r"no graph 'corective'.*corrective"):
        load("corective")


def test_backends_that_cannot_do_their_part_are_refused_at_once():
    with pytest.raises(ConfigError, match="index must be a LangChain retriever or have a method"):
        Backends(index=object())
    with pytest.raises(CragError, match="generator must be a LangChain chat model or a callable"):
        Backends(generator="gpt")


def test_schemas_describe_every_input_parameter_and_output():
    context = corrective.graph.get_context_jsonschema()
    assert set(context["properties"]) == {"top_k", "max_regenerations", "web_search"}
    assert all(field["description"] for field in context["properties"].values())
    assert set(corrective.graph.get_input_jsonschema()["properties"]) == {"question"}
    outputs = corrective.graph.get_output_jsonschema()["properties"]
    assert {"answer", "status", "stop_reason", "documents", "citations", "grades"} <= set(outputs)
    assert "remaining_steps" not in outputs
