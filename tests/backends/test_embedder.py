"""The embedded embedding model, the real one: it is in a package and needs no network."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from backends.embedder import MAX_TOKENS, MiniLM, default_embedder

CAT = "A cat sat on the mat."


def _cosine(a: str, b: str) -> float:
    first, second = default_embedder().embed([a, b])
    return float(first @ second)


def test_a_paraphrase_is_near_and_another_topic_is_far():
    near = _cosine("How do I reset my password?", "What are the steps to change a forgotten login?")
    far = _cosine("How do I reset my password?", "The glacier retreated by forty metres a year.")
    assert near > 0.5
    assert far < 0.2


def test_vectors_are_float32_of_length_one():
    vectors = default_embedder().embed([CAT, "", "x" * 5000, "مرحبا بالعالم", "\0\r\n"])
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_vectors():
    assert default_embedder().embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_what_is_embedded_with_it():
    texts = [" ".join(["word"] * n) + f" number {n}" for n in (1, 300, 7, 90, 2, 40, 40, 3, 3, 11)]
    together = default_embedder().embed(texts)
    alone = np.concatenate([default_embedder().embed([text]) for text in texts])
    backwards = default_embedder().embed(texts[::-1])[::-1]
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_allclose(together, backwards, atol=1e-6)


def test_the_same_text_has_the_same_bits_every_time_and_with_any_number_of_threads():
    texts = [f"Sentence number {n} about trains." for n in range(20)]
    first = default_embedder().embed(texts)
    assert np.array_equal(first, default_embedder().embed(texts))
    assert np.array_equal(first, MiniLM(threads=1).embed(texts))


def test_a_text_is_read_up_to_its_token_limit():
    head = "river " * (MAX_TOKENS - 2)
    same, cut, other = default_embedder().embed([head, head + "volcano", "volcano " + head])
    assert np.array_equal(same, cut)
    assert not np.array_equal(same, other)


def test_an_unpaired_surrogate_is_read_as_a_question_mark():
    broken, mended = default_embedder().embed(["bad \ud800 text", "bad ? text"])
    assert np.array_equal(broken, mended)


def test_many_threads_can_use_it_at_once():
    embedder = MiniLM()
    expected = default_embedder().embed([CAT])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: embedder.embed([CAT] * 3), range(16)))
    assert all(np.array_equal(vectors, expected.repeat(3, axis=0)) for vectors in found)


def test_the_process_shares_one_embedder():
    assert default_embedder() is default_embedder()


def test_its_name_tells_model_and_revision():
    assert default_embedder().name == "all-MiniLM-L6-v2-onnx-int8-8199be6f699a"


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_text_gets_its_own_vector_back(threads: int):
    texts = [f"{'very ' * n}long text {n}" for n in range(17)]
    vectors = MiniLM(threads).embed(texts)
    for n in (0, 8, 16):
        np.testing.assert_allclose(vectors[n], default_embedder().embed([texts[n]])[0], atol=1e-6)
