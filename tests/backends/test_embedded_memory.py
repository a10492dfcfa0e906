"""The memory of what was read from documents."""

from backends.embedded.memory import LARGE, remembered


class Reading:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self, text: str) -> int:
        self.times += 1
        return len(text)


def test_a_document_is_read_once():
    reading = Reading()
    recall = remembered(reading)

    assert [recall("abc"), recall("abc")] == [3, 3]
    assert reading.times == 1


def test_few_large_documents_are_held_and_do_not_push_small_ones_out():
    reading = Reading()
    recall = remembered(reading)
    recall("small")
    for size in range(6):
        recall("x" * (LARGE + size))
    reading.times = 0

    recall("small")
    recall("x" * (LARGE + 5))
    assert reading.times == 0
    recall("x" * LARGE)
    assert reading.times == 1
