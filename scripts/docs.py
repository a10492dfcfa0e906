"""Write the generated parts of the docs; with ``--check``, say which are out of date.

Generated are ``.env.example``, ``docs/graphs/NAME.mmd`` for every graph, and in every
Markdown page what stands between two marks::

    <!-- begin: parameters corrective -->
    ...
    <!-- end -->

The marks that there are: ``drawing GRAPH``, ``parameters GRAPH``, ``graphs``, ``settings``.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from graphs import NAMES
from scripts import tables
from scripts.drawing import mermaid
from state.errors import ConfigError

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(
    r"^(?P<begin><!-- begin: (?P<kind>\w+) ?(?P<graph>\w*) -->\n).*?^(?P<end><!-- end -->)$",
    re.DOTALL | re.MULTILINE,
)
_BEGIN = re.compile(r"^<!-- begin:", re.MULTILINE)


def main() -> None:
    """Write what is out of date, or with ``--check`` fail and name it."""
    parser = argparse.ArgumentParser(prog="python -m scripts.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    try:
        changed = outdated(ROOT)
    except ConfigError as error:
        sys.exit(f"docs: {error}")
    for path, text in changed.items():
        print(f"{'out of date' if check else 'wrote'}: {path.relative_to(ROOT)}")
        if not check:
            write(path, text)
    if check and changed:
        sys.exit("docs: run `make docs`, look at what it changed, and commit it.")


def outdated(root: Path) -> dict[Path, str | None]:
    """Return the files that are not as they should be, with their text; ``None`` to delete.

    Raises:
        ConfigError: A graph has no page, or a page has a mark that means nothing.
    """
    wanted: dict[Path, str | None] = dict.fromkeys((root / "docs" / "graphs").glob("*.mmd"))
    wanted[root / ".env.example"] = tables.env_example()
    for name in NAMES:
        wanted[root / "docs" / "graphs" / f"{name}.mmd"] = _drawing(name)
        _require_page(root / "docs" / f"{name}.md", name)
    for page in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        wanted[page] = filled(page.read_text(encoding="utf-8"), page.name)
    return {path: text for path, text in wanted.items() if text != _read(path)}


def filled(text: str, page: str) -> str:
    """Return a page with its generated blocks as they should be.

    Raises:
        ConfigError: A mark means nothing, or a block has no end.
    """
    result = _BLOCK.sub(lambda m: m["begin"] + _block(m["kind"], m["graph"], page) + m["end"], text)
    if len(_BLOCK.findall(text)) != len(_BEGIN.findall(text)):
        raise ConfigError(f"{page} has a block that does not end with <!-- end -->.")
    return result


def write(path: Path, text: str | None) -> None:
    """Write a generated file, or delete it."""
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _block(kind: str, graph: str, page: str) -> str:
    makers: Mapping[tuple[str, bool], Callable[[], str]] = {
        ("drawing", True): lambda: f"```mermaid\n{_drawing(graph)}```\n",
        ("parameters", True): lambda: tables.parameter_table(graph) + "\n",
        ("graphs", False): lambda: tables.graph_table() + "\n",
        ("settings", False): lambda: tables.settings_table() + "\n",
    }
    maker = makers.get((kind, graph in NAMES))
    if maker is None:
        known = ", ".join(kind + " GRAPH" * takes_graph for kind, takes_graph in makers)
        raise ConfigError(
            f"{page} has the mark {f'{kind} {graph}'.strip()!r}, which means nothing. "
            f"Marks: {known}; graphs: {', '.join(NAMES)}."
        )
    return maker()


def _require_page(page: Path, name: str) -> None:
    text = _read(page) or ""
    for mark in (f"<!-- begin: drawing {name} -->", f"<!-- begin: parameters {name} -->"):
        if mark not in text:
            raise ConfigError(
                f"docs/{page.name} must have {mark} … <!-- end -->: every graph has a page with "
                "its drawing and its parameters."
            )


@cache
def _drawing(name: str) -> str:
    return mermaid(name).rstrip("\n") + "\n"


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    main()
