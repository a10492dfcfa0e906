"""The memory of sentence vectors."""

import threading

import numpy as np

from backends.embedded.vectors import VectorCache


class Counting:
    """An embedder whose vectors depend on its name, and that keeps what it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []

    def embed(self, texts):
        self.asked.extend(texts)
        return np.array([[len(self.name), len(text)] for text in texts], np.float32)


def test_a_text_is_embedded_once():
    cache, model = VectorCache(), Counting("m")
    cache.embed(model, ["one", "three"])

    found = cache.embed(model, ["three", "one", "three", "eleven"])

    assert model.asked == ["one", "three", "eleven"]
    assert found[:, 1].tolist() == [5, 3, 5, 6]


def test_another_model_never_gets_the_vectors_of_the_first():
    cache, old, new = VectorCache(), Counting("m"), Counting("other")
    cache.embed(old, ["one"])

    assert cache.embed(new, ["one"])[0, 0] == len("other")


def test_the_vectors_that_were_not_used_for_longest_are_forgotten():
    cache, model = VectorCache(most=2), Counting("m")
    for text in ["a", "b", "a", "c", "a", "b"]:
        cache.embed(model, [text])

    assert model.asked == ["a", "b", "c", "b"]


def test_more_texts_at_once_than_are_kept_come_back_whole():
    texts = ["x" * n for n in range(1, 9)]

    assert VectorCache(most=3).embed(Counting("m"), texts)[:, 1].tolist() == list(range(1, 9))


def test_many_threads_get_the_vectors_of_their_own_texts():
    cache, model, wrong = VectorCache(most=5), Counting("m"), []

    def work(seed: int) -> None:
        for step in range(200):
            n = (seed * 7 + step) % 11 + 1
            if cache.embed(model, ["y" * n])[0, 1] != n:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
