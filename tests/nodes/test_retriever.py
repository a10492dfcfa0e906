"""Retrieved documents: as many as asked for, each text once, each id once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.calls import SearchIndex
from nodes.retriever import distinct, retrieve
from state.corrective import CorrectiveContext
from state.errors import IndexFailed
from tests.nodes.by_hand import DOCUMENTS, drive, state
from tests.stubs import document

some_documents = st.lists(
    st.builds(
        document,
        st.sampled_from(["a", "b", "a-2", "c"]),
        st.sampled_from(["Text one", "text  ONE", "Text two", " ", "Text three"]),
        source=st.sampled_from(["x.md", "y.md"]),
    ),
    max_size=8,
)


def test_the_question_is_searched_for_as_it_was_asked():
    calls, update = drive(retrieve(state(), CorrectiveContext(top_k=7)), DOCUMENTS)
    assert calls == [SearchIndex("Who runs payroll?", 7)]
    assert update == {"documents": DOCUMENTS}


def test_a_failed_search_is_not_caught():
    with pytest.raises(IndexFailed, match="down"):
        drive(retrieve(state(), CorrectiveContext()), IndexFailed("down"))


@given(some_documents)
def test_ids_and_texts_are_distinct_and_the_order_stays(documents):
    kept = distinct(documents)
    ids = [d["id"] for d in kept]
    texts = [d["content"].casefold().split() for d in kept]
    assert len(set(ids)) == len(ids)
    assert len({tuple(text) for text in texts}) == len(texts)
    assert all(texts)
    first_texts = [d["content"] for d in documents if d["content"].strip()]
    assert [d["content"] for d in kept] == [
        text for n, text in enumerate(first_texts)
        if text.casefold().split() not in [t.casefold().split() for t in first_texts[:n]]
    ]  # fmt: skip


@given(some_documents)
def test_doing_it_twice_changes_nothing(documents):
    assert distinct(distinct(documents)) == distinct(documents)


def test_every_source_of_a_text_is_kept_once():
    same = [document(f"d{n}", "Same.", source=source) for n, source in enumerate("xyxz")]
    (kept,) = distinct(same)
    assert (kept["metadata"]["source"], kept["metadata"]["also_in"]) == ("x", ["y", "z"])
