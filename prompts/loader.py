"""Load a prompt and fill it in, with values that stay data.

The notation is the specification's: ``{{name}}`` and ``{{#if name}}…{{/if}}``. No template
library renders it faithfully: mustache escapes HTML, f-strings trip over JSON braces, and
jinja2 rewrites line ends (see ``docs/architecture.md``).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import quoteattr

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_CONDITIONAL = re.compile(r"\{\{#if (\w+)\}\}(.*?)\{\{/if\}\}", re.DOTALL)
_STANDALONE = re.compile(r"^(\{\{(?:#if \w+|/if)\}\})\n", re.MULTILINE)
_TAG = re.compile(r"<(\w+)>")
_UNSEEN = r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_INVISIBLE = rf"[\s{_UNSEEN}]*"


@dataclass(frozen=True)
class Prompt:
    """A prompt with its placeholders.

    Attributes:
        name: The file's name without its ending.
        template: The text, placeholders included.
    """

    name: str
    template: str

    def render(self, fields: Mapping[str, Any]) -> str:
        """Fill in the placeholders in one pass, so that values are never read as notation.

        Args:
            fields: A value for every placeholder that is left after the conditionals: text,
                a document, or a list of either.

        Returns:
            The prompt, in which no value can open or close one of the prompt's own tags. A
            lone surrogate, which no endpoint accepts, becomes a question mark.

        Raises:
            KeyError: A placeholder has no value.
        """
        template = _CONDITIONAL.sub(lambda m: m[2] if fields.get(m[1]) else "", self.template)
        own_tags = _own_tags(self.template)
        filled = _PLACEHOLDER.sub(lambda m: _as_text(fields[m[1]], own_tags), template)
        return filled.encode("utf-8", "replace").decode("utf-8")


@cache
def load(name: str) -> Prompt:
    """Load ``prompts/<name>.md``; the newline that ends the file is not part of it."""
    text = files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Prompt(name, _STANDALONE.sub(r"\1", text.removesuffix("\n")))


@cache
def _own_tags(template: str) -> re.Pattern[str]:
    own = sorted({"document", *_TAG.findall(template)})
    names = "|".join(rf"[{_UNSEEN}]*".join(name) for name in own)
    return re.compile(rf"<(?={_INVISIBLE}(?:/{_INVISIBLE})?(?:{names})\b)", re.IGNORECASE)


def _as_text(value: Any, own_tags: re.Pattern[str]) -> str:
    """Render a value: text as it is, documents in tags of their own, lists as lines."""
    if isinstance(value, list):
        return "".join(f"\n{_item(item, own_tags)}" for item in value) + "\n" if value else ""
    text = value["content"] if isinstance(value, dict) else str(value)
    return own_tags.sub("&lt;", text)


def _item(item: Any, own_tags: re.Pattern[str]) -> str:
    body = _as_text(item, own_tags)
    if not isinstance(item, dict):
        return f"- {body}"
    title = item["metadata"].get("title")
    named = f" title={_attribute(title)}" if title else ""
    return f"<document id={_attribute(item['id'])}{named}>\n{body}\n</document>"


def _attribute(value: object) -> str:
    return quoteattr(" ".join(str(value).split()))
