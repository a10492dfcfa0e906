"""Shape a query for a source: keywords for encyclopaedias and archives (document 003, node 5)."""

import re

from nodes.evidence import content_words
from nodes.rewriter import LONGEST_QUERY
from nodes.text import fold
from state.study import SourceName

_MOST_WORDS = 12
_TOKEN = re.compile(r"[\w'’+#./-]*\w[+#]*")
_QUESTION_WORDS = frozenset(
    "about again also any please tell me explain describe define discuss compare give show find "
    "list name between difference differences many much long often example examples same there "
    "whose whom say said mean means meaning called happen happens happened work works versus "
    "هل ما ماذا لماذا كيف متى متي اين من هو هي هم كم اي في على علي عن الى الي ان التي الذي الذين "
    "هذا هذه ذلك كان كانت تم قد لم لن مع بين اشرح عرف عدد قارن اذكر ما هي ما هو او ثم كل بعد قبل "
    "عند منذ حتى ولم وما وهل فى التى الذى لماذا وكيف كما يتم تكون يكون".split()
)


def keywords(question: str) -> str:
    """Return the words of a question that name something, as they were written.

    Question words and function words go; the order, the case and the spelling stay, since
    names are matched by them. A question without any such word is its own query.
    """
    kept: list[str] = []
    seen: set[str] = set()
    for token in _TOKEN.findall(question):
        key = fold(token)
        if key in seen or key in _QUESTION_WORDS or not content_words(token):
            continue
        seen.add(key)
        kept.append(token)
    return " ".join(kept[:_MOST_WORDS])[:LONGEST_QUERY] or question.strip()[:LONGEST_QUERY]


def first_queries(source: SourceName, question: str, sub_questions: list[str]) -> list[str]:
    """Return what a source is asked first: the index the sub-questions, the web the question."""
    if source == "curated":
        return sub_questions or [question]
    return [question[:LONGEST_QUERY] if source == "web" else keywords(question)]
