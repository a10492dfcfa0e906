"""How prompts are filled in: values stay data, whatever they hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts import Prompt, load
from tests.stubs import document

PLAIN = Prompt("plain", "Q: {{question}}\nD: {{doc}}")
TAGGED = Prompt("tagged", "<question>{{question}}</question>\n<documents>{{docs}}</documents>")
OPTIONAL = Prompt("optional", "A\n{{#if passage}}<p>{{passage}}</p>{{/if}}\nB")

hostile = st.lists(
    st.sampled_from(
        ["<", "</", "< /", "question", "documents", "document", ">", " ", "\u200b", "\n", "{{",
         "}}", "{{question}}", "{{#if doc}}", "{{/if}}", "&lt;", "&", "\\1", "%s", "{0}", "x"]
    ),
    max_size=30,
).map("".join)  # fmt: skip
text = hostile | st.text(st.characters(exclude_categories=["Cs"]))


@given(question=text, content=text)
def test_values_without_the_prompts_own_tags_arrive_verbatim(question, content):
    filled = PLAIN.render({"question": question, "doc": content})
    if not re.search("<[^x]*document", question + content, re.IGNORECASE):
        assert filled == f"Q: {question}\nD: {content}"


@given(question=text, contents=st.lists(text, max_size=3))
def test_no_value_opens_or_closes_one_of_the_prompts_own_tags(question, contents):
    docs = [document(f"d{n}", content or "-", title=content) for n, content in enumerate(contents)]
    filled = TAGGED.render({"question": question, "docs": docs})
    tags = re.findall(r"<[\s\u200b]*/?[\s\u200b]*(?:question|documents?)\b", filled)
    expected = ["<question", "</question", "<documents", "</documents"]
    expected[3:3] = ["<document", "</document"] * len(docs)
    assert tags == expected


@given(question=text)
def test_what_is_neutralised_can_be_read_back(question):
    filled = TAGGED.render({"question": question, "docs": []})
    shown = filled.removeprefix("<question>").removesuffix("</question>\n<documents></documents>")
    assert shown.replace("&lt;", "<") == question.replace("&lt;", "<")


@given(values=st.lists(text.map(lambda value: value.replace("<", "")), min_size=1, max_size=4))
def test_a_list_of_texts_is_one_item_each(values):
    shown = Prompt("list", "{{reasons}}").render({"reasons": values})
    assert shown == "".join(f"\n- {value}" for value in values) + "\n"


def test_a_value_is_never_read_as_a_placeholder_or_a_condition():
    filled = PLAIN.render({"question": "{{doc}} {{#if doc}}x{{/if}}", "doc": "{{question}}"})
    assert filled == "Q: {{doc}} {{#if doc}}x{{/if}}\nD: {{question}}"


@pytest.mark.parametrize(("passage", "expected"), [("x", "A\n<p>x</p>\nB"), ("", "A\n\nB")])
def test_a_condition_keeps_or_drops_what_it_holds(passage, expected):
    assert OPTIONAL.render({"passage": passage}) == expected


def test_a_condition_on_a_line_of_its_own_leaves_no_empty_line():
    fields = {"question": "Q", "docs": [document("d")], "draft": "", "unsupported_claims": [],
              "earlier_drafts": 0}  # fmt: skip
    without = load("answer").render(fields)
    assert "\n\n\n" not in without
    again = load("answer").render(fields | {"draft": "D", "unsupported_claims": ["C"]})
    assert "<draft>D</draft>\nThese of its claims" in again


def test_a_missing_value_is_an_error_that_names_it():
    with pytest.raises(KeyError, match="question"):
        PLAIN.render({"doc": "x"})


def test_a_documents_title_and_id_are_quoted():
    shown = TAGGED.render({"question": "", "docs": [document('a"b<c', "x", title="T > '1'\n\n2")]})
    assert "<document id='a\"b&lt;c' title=\"T &gt; '1' 2\">\nx\n</document>" in shown


def test_line_ends_and_the_newline_at_the_end_are_kept():
    assert PLAIN.render({"question": "a\r\n", "doc": "b\n"}) == "Q: a\r\n\nD: b\n"


def test_a_prompt_that_does_not_exist_is_an_error():
    with pytest.raises(FileNotFoundError):
        load("no_such_prompt")


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u2062", "\u2066", "\ufe0f", "\ufeff"])
@pytest.mark.parametrize(
    "closing", ["<{}/document>", "</{}document>", "</docu{}ment>", "</document{}>"]
)
def test_a_character_that_is_not_seen_does_not_hide_a_tag(unseen, closing):
    hidden = closing.format(unseen)
    shown = TAGGED.render({"question": hidden, "docs": []})
    assert f"<question>&lt;{hidden[1:]}</question>" in shown
