"""The language of a reply: the question's, English or Arabic; all others fall to English."""

import re
from typing import Literal

from state.study import Language

_WORD = re.compile(r"[^\W\d_]+")
_ARABIC = re.compile(r"[\u0621-\u063a\u0641-\u064a\u066e-\u06d3]")
_OTHER_IN_ARABIC_SCRIPT = re.compile(r"[\u067e\u0686\u0698\u06a9\u06af\u06cc\u06d2\u0679\u06c1]")
_NAMES = {"en": "English", "ar": "Arabic"}


def language_of(text: str, setting: Literal["auto", "en", "ar"] = "auto") -> Language:
    """Return the language to reply in.

    Arabic when at least half of the words are in its script; Persian and Urdu, which share it,
    are told by letters that Arabic does not have and fall to English like all other languages.
    The system's locale and the documents' language play no part.
    """
    if setting != "auto":
        return setting
    words = _WORD.findall(text)
    arabic = sum(1 for word in words if _ARABIC.match(word))
    if not arabic or 2 * arabic < len(words):
        return "en"
    return "en" if _OTHER_IN_ARABIC_SCRIPT.search(text) else "ar"


def instruction(setting: Literal["auto", "en", "ar"]) -> str:
    """Return how a model is told the language of its answer."""
    return "the language of the question" if setting == "auto" else _NAMES[setting]
