"""The embedded default as the wiring sees it: one evaluator a role, with a name."""

import inspect

import pytest

from backends import Backends, Settings
from backends.embedded import EVALUATORS, evaluator
from state.errors import ConfigError

SETTINGS = Settings(_env_file=None)
CORRECTIVE = ["grader", "rewriter", "generator", "checker"]


@pytest.mark.parametrize("role", CORRECTIVE)
def test_every_role_of_the_corrective_graph_is_played(role):
    player = evaluator(role, SETTINGS)

    assert player.name == "embedded extractive"
    assert not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(player).parameters.values())


@pytest.mark.parametrize("role", CORRECTIVE)
def test_without_a_key_the_backends_say_which_engine_answers(role):
    assert Backends(settings=SETTINGS).player(role).name == "embedded extractive"


def test_a_role_that_cannot_be_played_is_an_error_that_names_the_roles():
    with pytest.raises(ConfigError, match="cannot play 'poet'") as failure:
        evaluator("poet", SETTINGS)

    assert all(role in str(failure.value) for role in EVALUATORS)
    assert "OPENAI_API_KEY" in str(failure.value)
