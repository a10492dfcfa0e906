"""Admissions that there is no answer, told apart from answers."""

import pytest

from nodes.abstention import abstains


@pytest.mark.parametrize(
    "text",
    ["NOT FOUND", "NOT FOUND.", "not found", "**NOT FOUND**", "NOT_FOUND", "NO ANSWER",
     "no-answer", "N0T F0UND", "NOT FOUND in the documents.", "I don't know.", "I don’t know",
     "I do not know the answer to that.", "I couldn't find this in the documents.",
     "The answer could not be found.", "The documents do not mention payroll.",
     "The document doesn't say.", "This is not stated in the documents.",
     "No information is available.", "Das weiß ich nicht.", "Keine Information vorhanden.",
     "Je ne sais pas.", "No lo sé.", "لا أعرف", "لا توجد معلومات عن ذلك."],
)  # fmt: skip
def test_an_admission_is_recognised(text):
    assert abstains(text)


@pytest.mark.parametrize(
    "text",
    ["", "Acme Ltd runs payroll.", "No.", "No, it is not.", "Not on Sundays.",
     "Nobody answered the phone [d1].",
     "The documents do not mention 2023, but 2024 had 5 cases [d1].",
     "Acme runs payroll [d1]. The documents do not say since when.",
     "It rose in 2020. It fell in 2021. The documents do not mention 2022.",
     "لا توجد رسوم على الطلب."],
)  # fmt: skip
def test_an_answer_is_no_admission(text):
    assert not abstains(text)
