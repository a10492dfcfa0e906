"""What graders and checkers say, and how tolerantly it is read."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

_YES = "yes y true ja oui si sí sim да نعم صحيح はい 是 是的 예 네 हाँ".split()
_NO = "no n false nein non não nao нет لا خطأ いいえ 否 不是 不 아니요 नहीं".split()
_LETTERS = {"y", "n"}
_DECIDING_WORDS = 3
_NOTHING = {"", "none", "n/a", "null", "nil", "-"}
_WORDS = dict.fromkeys(_YES, True) | dict.fromkeys(_NO, False)


def read_yes_no(value: Any) -> Any:
    """Turn ``"Yes."``, ``"**no**"`` or ``"はい"`` into a boolean.

    Anything that is not plainly a yes or a no, like ``"yes/no"``, is returned as it is, so
    that validation fails and the conservative branch is taken.
    """
    if not isinstance(value, str):
        return value
    words = re.findall(r"\w+", value.casefold())[:_DECIDING_WORDS]
    if len(words) > 1 and words[0] in _LETTERS:
        return value  # "n/a" is no "no"
    said = {_WORDS[word] for word in words if word in _WORDS}
    return said.pop() if len(said) == 1 and words[0] in _WORDS else value


def read_claims(value: Any) -> Any:
    """Turn ``None``, one string, or ``[{"claim": …}]`` into a list of strings."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    claims = [item.get("claim", item) if isinstance(item, dict) else item for item in items]
    claims = [claim.strip() if isinstance(claim, str) else claim for claim in claims]
    return [claim for claim in claims if not _is_nothing(claim)]


def read_reason(value: Any) -> Any:
    """Turn ``None`` or a blank into the default, and lists into one line."""
    if isinstance(value, list):
        value = " ".join(str(part) for part in value)
    return value if isinstance(value, str) and value.strip() else NO_REASON


def _is_nothing(claim: Any) -> bool:
    """Tell ``""``, ``None``, ``"N/A"`` or ``"none"`` from a claim."""
    return claim is None or (isinstance(claim, str) and claim.strip(" .").casefold() in _NOTHING)


NO_REASON = "No reason was given."
YesNo = Annotated[bool, BeforeValidator(read_yes_no)]
Claims = Annotated[list[str], BeforeValidator(read_claims)]
Reason = Annotated[str, BeforeValidator(read_reason)]


class Verdict(BaseModel):
    """Base of what models are asked to return; unknown keys are ignored.

    Attributes:
        each: For a verdict on a list of documents, the verdict on one of them.
    """

    model_config = ConfigDict(extra="ignore")
    each: ClassVar["type[Verdict] | None"] = None

    @classmethod
    def from_each(cls, verdicts: Mapping[str, Any]) -> Self:
        """Build the verdict on a list from those on its documents, by their ids."""
        raise NotImplementedError

    @classmethod
    def joined(cls, verdicts: Sequence[Self]) -> Self | None:
        """Make one of the verdicts that a reply holds; ``None`` when they contradict.

        Only required fields can contradict: a differing reason does not.
        """
        required = [name for name, info in cls.model_fields.items() if info.is_required()]
        first = verdicts[0]
        agreed = all(getattr(v, n) == getattr(first, n) for v in verdicts for n in required)
        return first if agreed else None

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        """Read a reply that holds no JSON; ``None`` where the specification wants JSON."""
        return None


class DocumentGrade(Verdict):
    """Whether one document helps to answer the question (document 000, first part)."""

    relevant: YesNo = Field(description="Whether the document has facts needed for the answer.")
    reason: Reason = Field(NO_REASON, description="One sentence.")


class AnswerCheck(Verdict):
    """Which claims of an answer the documents do not support (document 000, first part)."""

    supported: YesNo = Field(description="Whether every claim is supported by the documents.")
    unsupported_claims: Claims = Field(
        default_factory=list, description="The claims that no document supports."
    )

    @model_validator(mode="after")
    def _a_listed_claim_is_unsupported(self) -> "AnswerCheck":
        """Take the list at its word when it contradicts the flag."""
        if self.unsupported_claims:
            self.supported = False
        return self
