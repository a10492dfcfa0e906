"""Tell an answer from the admission that there is none."""

import re

from nodes.text import normalise, sentences

_SENTINEL = re.compile(r"\W*n[o0]t?[\s_-]*(?:f[o0]und|answer)\W*")
_ADMISSIONS = re.compile(
    r"^\W*n[o0]t[\s_-]*f[o0]und\b"
    r"|\bi (?:do not|don'?t) know\b"
    r"|\b(?:could not|couldn'?t|cannot|can'?t|unable to) (?:be )?(?:find|found|answer|determine)"
    r"|\b(?:documents?|context|passages?|sources?|text) (?:do|does) ?(?:not|n'?t) "
    r"(?:contain|mention|provide|say|state|include|answer|specify)"
    r"|\b(?:is|are) not (?:mentioned|stated|given|contained|answered) in the"
    r"|\bno (?:information|answer) (?:is |was )?(?:available|found|given|provided)"
    r"|\b(?:weiss ich nicht|keine (?:information|antwort)|nicht (?:enthalten|erwahnt|angegeben))"
    r"|\b(?:je ne sais pas|ne (?:contiennent|mentionnent) pas|aucune information)"
    r"|\b(?:no lo se|no (?:contienen|mencionan)|no hay informacion)"
    r"|لا اعرف|لا ادري|لا (?:تحتوي|تذكر|توجد (?:معلومات|اجابة))|غير مذكور"
    r"|لم (?:يذكر|اجد|يتم العثور)"
)
_MOST_SENTENCES = 2


def abstains(answer: str) -> bool:
    """Return whether an answer only admits that the documents do not have it.

    A short text without citations that says so counts; an answer that adds what is missing
    to what it found, with its citations, does not.
    """
    text = normalise(answer).replace("\u2019", "'")
    if _SENTINEL.fullmatch(text):
        return True
    short = len(sentences(answer.strip())) <= _MOST_SENTENCES
    return short and "[" not in answer and bool(_ADMISSIONS.search(text))
