"""Draw a graph: its Mermaid text, and a picture of it without a network."""

import re
from pathlib import Path

from state.errors import ConfigError

_WIDTH = 1200
_PICTURES = (".png", ".svg")
_TEXTS = (".mmd", ".mermaid", ".md", ".txt")
_LABEL = re.compile(r"-\. &nbsp;(.*?)&nbsp; \.->")
"""A labelled edge as LangGraph writes it: a label with a dot in it breaks that form."""
_DRAWN_LABEL = re.compile(r"-\.->\|(.*?)\|")


def mermaid(name: str) -> str:
    """Return the Mermaid text of a graph; the same text each time.

    Args:
        name: One of ``graphs.NAMES``.

    Raises:
        ConfigError: There is no such graph.
    """
    from graphs import load

    text: str = load(name).graph.get_graph().draw_mermaid()
    return _LABEL.sub(r"-.->|\1|", text)


def save(name: str, path: Path) -> None:
    """Write a graph's drawing to a file, as its ending says: Mermaid text, PNG or SVG.

    Raises:
        ConfigError: There is no such graph, or the ending is none of those.
    """
    ending = path.suffix.lower()
    if ending not in _PICTURES + _TEXTS:
        raise ConfigError(
            f"{path.name!r} does not say what to draw. End it with .mmd, .png or .svg."
        )
    text = mermaid(name)
    if ending in _TEXTS:
        path.write_text(text, encoding="utf-8")
        return
    import mmdr

    # Of the two renderers in the wheel, this one draws the ranks of a state machine.
    picture = mmdr.render(_with_room_around_labels(text), backend="merman")
    if ending == ".svg":
        path.write_text(picture.svg(), encoding="utf-8")
    else:
        path.write_bytes(picture.png(width=_WIDTH, background="#ffffff"))


def _with_room_around_labels(text: str) -> str:
    """Widen labels: the renderer measures them in a narrower font than it has to paint with."""
    room = 3 * "&nbsp;"
    return _DRAWN_LABEL.sub(lambda label: f'-.->|"{room}{label[1]}{room}"|', text)
