"""The language of a reply: the question's, English or Arabic; all others fall to English."""

import re
from typing import Literal

from state.study import Language

_ARABIC = re.compile(r"[\u0621-\u063a\u0641-\u064a\u066e-\u06d3]")
_OTHER_IN_ARABIC_SCRIPT = re.compile(r"[\u067e\u0686\u0698\u06a9\u06af\u06cc\u06d2\u0679\u06c1]")
_LETTER = re.compile(r"[^\W\d_]")
_NAMES = {"en": "English", "ar": "Arabic"}


def language_of(text: str, setting: Literal["auto", "en", "ar"] = "auto") -> Language:
    """Return the language to reply in.

    Arabic when most of the letters are Arabic; Persian and Urdu, which share the script, are
    told by letters that Arabic does not have and fall to English like all other languages.
    The system's locale and the documents' language play no part.
    """
    if setting != "auto":
        return setting
    arabic = len(_ARABIC.findall(text))
    if not arabic or 2 * arabic < len(_LETTER.findall(text)):
        return "en"
    return "en" if _OTHER_IN_ARABIC_SCRIPT.search(text) else "ar"


def instruction(setting: Literal["auto", "en", "ar"]) -> str:
    """Return how a model is told the language of its answer."""
    return "the language of the question" if setting == "auto" else _NAMES[setting]
