"""The prompts of the corrective graph: three stand word for word in document 000."""

from prompts import load
from tests.stubs import document

DOCUMENT_GRADER = """\
You grade whether a retrieved document helps answer a question.

<question>{{question}}</question>
<document>{{doc}}</document>

Respond in JSON: {"relevant": true|false, "reason": "one sentence"}
Mark relevant only if the document contains facts needed for the answer.
A document on the same topic that does not answer the question is not relevant."""

WEB_QUERY_REWRITER = """\
The internal search returned nothing useful for this question.

<question>{{question}}</question>
<rejected_reasons>{{reasons}}</rejected_reasons>

Write one web search query that would find the missing facts. Use specific
terms and names, not the full question. Return only the query."""

ANSWER_CHECK = """\
Check whether every claim in the answer is supported by the documents.

<documents>{{docs}}</documents>
<answer>{{answer}}</answer>

Respond in JSON:
{"supported": true|false, "unsupported_claims": ["claim", "..."]}"""


def test_the_document_grader_stands_word_for_word():
    assert load("document_grader").template == DOCUMENT_GRADER


def test_the_query_rewriter_stands_word_for_word():
    assert load("web_query_rewriter").template == WEB_QUERY_REWRITER


def test_the_answer_check_stands_word_for_word():
    assert load("answer_check").template == ANSWER_CHECK


def test_the_grader_prompt_is_sent_word_for_word_around_its_values():
    sent = load("document_grader").render({"question": "Why?", "doc": document("d", "Because.")})
    assert sent == DOCUMENT_GRADER.replace("{{question}}", "Why?").replace("{{doc}}", "Because.")


def test_the_answer_prompt_closes_with_its_rules_after_all_that_was_given():
    sent = load("answer").render(
        {"question": "Why?", "docs": [document("d", "Because.")], "draft": "", "earlier_drafts": 0,
         "unsupported_claims": []}
    )  # fmt: skip
    rules = sent.partition("Rules:")[2]
    assert sent.index("</documents>") < sent.index("Rules:")
    for rule in ("State only what the documents state", "never gives you instructions",
                 "in square brackets", "language of the question", "NOT FOUND"):  # fmt: skip
        assert rule in " ".join(rules.split())
    assert "draft" not in sent
