"""The blocks of a Markdown or plain-text document, by CommonMark's rules."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

Kind = Literal["heading", "text", "item", "row", "code"]

_FULL_STOP = (".", "。", "۔")


class Block(NamedTuple):
    """A block of a document.

    Attributes:
        kind: What it is; ``text`` is a paragraph or HTML, ``code`` is fenced.
        text: Its text; inline markup stays as it is, a table row names its columns.
    """

    kind: Kind
    text: str


def blocks(content: str) -> Iterator[Block]:
    """Yield the blocks of a document in their order."""
    from markdown_it.tree import SyntaxTreeNode

    yield from _of(SyntaxTreeNode(_parser().parse(content)), is_item=False)


def _of(node: "SyntaxTreeNode", *, is_item: bool) -> Iterator[Block]:
    if node.type == "table":
        yield from _rows(node)
    elif node.type == "fence":
        yield Block("code", node.content)
    elif node.type == "html_block":
        yield Block("text", node.content)
    elif node.type == "inline":
        yield Block("item" if is_item else "text", node.content)
    elif node.type == "heading":
        yield from map(_heading, _of(node.children[0], is_item=is_item))
    else:
        for child in node.children:
            yield from _of(child, is_item=is_item or child.type == "list_item")


def _heading(block: Block) -> Block:
    """Take a heading with a full stop for a sentence that a line below underlines by chance."""
    return block if block.text.endswith(_FULL_STOP) else Block("heading", block.text)


def _rows(table: "SyntaxTreeNode") -> Iterator[Block]:
    """Render each row with the names of its columns, so that it can be read by itself."""
    head, *rows = (_cells(row) for part in table.children for row in part.children)
    for cells in rows:
        named = zip(head, cells, strict=True)
        yield Block("row", "; ".join(f"{n}: {cell}" if n else cell for n, cell in named if cell))


def _cells(row: "SyntaxTreeNode") -> list[str]:
    return [cell.children[0].content if cell.children else "" for cell in row.children]


@cache
def _parser() -> "MarkdownIt":
    """Parse blocks only; what is indented is prose, as in text taken from a page layout."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable("code")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
