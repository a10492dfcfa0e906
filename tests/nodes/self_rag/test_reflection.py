"""Reflection tokens are read however they are written, and never shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.self_rag.reflection import read
from nodes.self_rag.tags import tags


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[Retrieve=Yes]", "Yes"),
        ("[retrieve = no]", "No"),
        ("[ RETRIEVE : Continue ]", "Continue"),
        ("[Retrieve=Yes", "Yes"),
        ("Retrieve=Yes", "Yes"),
        ("**[Retrieve=No]**", "No"),
        ("`[Retrieve=No]`", "No"),
        ("［Retrieve＝Continue］", "Continue"),
        ("[Retrieve=Yes|No]", None),
        ("[Retrieve=Perhaps]", None),
        ("[Retrieve=]", None),
    ],
)
def test_a_retrieve_token_is_read_in_any_form(written, value):
    said = read(f"{written} The text.")
    assert (said.retrieve, said.text) == (value, "The text.")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[IsSup=Fully]", "Fully"),
        ("[IsSup=Fully supported]", "Fully"),
        ("[IsSup=Full support]", "Fully"),
        ("[IsSup=Partially supported]", "Partially"),
        ("[Is_Sup = partial]", "Partially"),
        ("[IsSup=No support / Contradictory]", "No"),
        ("[IsSup=Not fully supported]", "No"),
        ("【IsSup=Partially】", "Partially"),
        ("[IsSup=Fully", "Fully"),
        ("[IsSup=Maybe]", None),
        ("[IsSup=Maybe", None),
    ],
)
def test_a_support_token_is_read_in_any_form(written, value):
    said = read(f"The text. {written}")
    assert (said.is_sup, said.text) == (value, "The text.")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[IsUse=5]", 5),
        ("[IsUse=５]", 5),
        ("[IsUse: 4/5]", 4),
        ("[IsUse=3 out of 5]", 3),
        ('[IsUse="2"]', 2),
        ("[IsUse=1", 1),
        ("[IsUse=1..5]", None),
        ("[IsUse=1-5]", None),
        ("[IsUse=0]", None),
        ("[IsUse=6]", None),
        ("[IsUse=45]", None),
        ("[IsUse=4.5]", None),
        ("[IsUse=high]", None),
    ],
)
def test_a_usefulness_is_a_whole_number_from_one_to_five_or_nothing(written, value):
    said = read(f"The text. {written}")
    assert (said.is_use, said.text) == (value, "The text.")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[IsRel=Relevant]", "Relevant"),
        ("[isrel=irrelevant]", "Irrelevant"),
        ("[IsRel=Not relevant]", "Irrelevant"),
        ("[IsRel=Relevant The", "Relevant"),
    ],
)
def test_a_relevance_is_read_in_any_form(written, value):
    assert read(f"{written} text.").is_rel == value


def test_tokens_in_the_middle_go_without_a_trace():
    said = read("Paris [IsRel=Relevant] is the [IsSup=Fully] capital [IsUse=4].")
    assert said.text == "Paris is the capital."
    assert (said.is_rel, said.is_sup, said.is_use) == ("Relevant", "Fully", 4)


def test_the_order_of_tokens_does_not_matter():
    said = read("[IsUse=4][IsSup=No] Text. [IsRel=Irrelevant][Retrieve=Continue]")
    assert said == read("[Retrieve=Continue][IsRel=Irrelevant] Text. [IsSup=No][IsUse=4]")


def test_a_missing_bracket_does_not_swallow_the_text_or_the_next_token():
    said = read("[Retrieve=No [IsRel=Relevant Paris it is. [IsSup=Fully [IsUse=5")
    assert (said.text, said.is_rel, said.is_sup, said.is_use) == (
        "Paris it is.",
        "Relevant",
        "Fully",
        5,
    )


def test_contradictory_tokens_say_nothing():
    said = read("[IsSup=Fully], [IsSup=Partially] or [IsSup=No] the text")
    assert said.is_sup is None


def test_an_echo_of_the_prompts_choices_does_not_hide_the_real_token():
    assert read("[IsUse=1..5] The text. [IsUse=4]").is_use == 4


def test_a_reply_with_several_segments_gives_the_first_one():
    said = read(
        "[Retrieve=Yes][IsRel=Relevant] One. [IsSup=Fully][IsUse=5]\n"
        "[Retrieve=No] Two. [IsSup=No][IsUse=1]"
    )
    assert (said.text, said.retrieve, said.is_sup, said.is_use) == ("One.", "Yes", "Fully", 5)


def test_a_second_segment_without_a_retrieve_token_is_not_taken_for_the_first():
    said = read("One. [IsSup=Fully][IsUse=5] Two. [IsSup=No][IsUse=1]")
    assert (said.text, said.is_sup, said.is_use) == ("One.", "Fully", 5)


@pytest.mark.parametrize("cut", ["[", "[Is", "[IsS", "[IsSup", "[IsSup=", "[Retr", "[Retrieve = "])
def test_a_token_that_was_cut_off_at_the_end_is_not_shown(cut):
    assert read(f"The text. {cut}").text == "The text."


@pytest.mark.parametrize("text", ["See [1] and [x=3].", "f[i] = 3", "[note: retrieve it]", "[sic]"])
def test_brackets_that_are_no_tokens_stay(text):
    assert read(text).text == text


def test_a_list_keeps_its_lines():
    assert read("[Retrieve=No]\n- one\n- two\n[IsUse=5]").text == "- one\n- two"


PLAIN = st.text(st.characters(exclude_characters="[]［］【】`*=＝:：", exclude_categories=["Cs"]))
CASES = st.sampled_from([str, str.lower, str.upper])
SPACES = st.sampled_from(["", " ", "\t"])


@st.composite
def tokens(draw, name, values):
    """Write one token the way some model would."""
    value = draw(st.sampled_from(values))
    case, space = draw(CASES), draw(SPACES)
    extra = draw(st.sampled_from(["", ", really"])) if name != "IsUse" else ""
    return value, f"[{space}{case(name)}{space}={space}{case(value)}{extra}{space}]"


@given(
    PLAIN,
    tokens("Retrieve", ["Yes", "No", "Continue"]),
    tokens("IsRel", ["Relevant", "Irrelevant"]),
    tokens("IsSup", ["Fully", "Partially", "No"]),
    tokens("IsUse", ["1", "2", "3", "4", "5", "５"]),
    st.permutations(range(5)),
)
def test_any_text_with_tokens_around_it_in_any_order_is_read(text, ret, rel, sup, use, order):
    parts = [text, ret[1], rel[1], sup[1], use[1]]
    said = read(" ".join(parts[i] for i in order))
    assert " ".join(said.text.split()) == " ".join(text.split())
    assert (said.retrieve, said.is_rel, said.is_sup) == (ret[0], rel[0], sup[0])
    assert said.is_use == int(use[0])


PIECES = [
    "[",
    "]",
    "=",
    "Retrieve",
    "IsSup",
    "isuse",
    "Fully",
    "no",
    "5",
    "..",
    " ",
    "x",
    "【",
    "**",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join))
def test_no_reply_makes_it_fail_and_no_token_is_ever_shown(reply):
    shown = read(reply).text
    assert not [tag for tag in tags(shown) if tag.value is not None]


@given(PLAIN)
def test_text_without_tokens_stays_as_it_is(text):
    assert read(text).text == text.strip()
