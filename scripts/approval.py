"""Ask the person at the terminal before a run goes on, or say that there is none."""

import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from scripts.console import clean
from scripts.progress import View
from scripts.runs import Decide
from state.errors import ConfigError

_REFUSE = "refuse"
_EDIT = "edit"


def decider(view: View, console: Console) -> Decide:
    """Return what decides when a run stops to ask: the person at the terminal."""

    def decide(payload: Any) -> Any:
        asked = payload if isinstance(payload, Mapping) else {"query": str(payload)}
        if not (sys.stdin.isatty() and console.is_terminal):
            raise ConfigError(_no_terminal(asked))
        view.pause()
        try:
            return _ask(asked, console)
        finally:
            view.resume()

    return decide


def _ask(asked: Mapping[str, Any], console: Console) -> Any:
    query = clean(asked.get("query", ""))
    console.print(Text.assemble("\nNothing has left for the web yet. The query is:\n  ", query))
    choices = [str(choice) for choice in asked.get("choices") or ("approve", _EDIT, _REFUSE)]
    try:
        choice = Prompt.ask("Search?", choices=choices, default=_REFUSE, console=console)
        if choice != _EDIT:
            return choice
        edited = Prompt.ask("New query", default=query, console=console)
    except EOFError:
        return _REFUSE
    return {"action": _EDIT, "query": edited}


def _no_terminal(asked: Mapping[str, Any]) -> str:
    return (
        "The run wants to search the web and there is no terminal to ask at; nothing was sent. "
        f"The query was “{clean(asked.get('query', ''))}”.\n"
        "Run it in a terminal, or choose --web-search auto or --web-search off."
    )
