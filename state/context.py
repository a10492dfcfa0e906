"""Run-time parameters: the base of every graph's context."""

from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Context(BaseModel):
    """Parameters of one run: JSON values with bounds, no live objects.

    Studio's form, the command line's options and the tables in the docs are all
    made from the fields of a graph's own subclass.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _name_unknown_parameters(cls, values: Any) -> Any:
        """Say which parameters there are when one is misspelt."""
        if not isinstance(values, dict):
            return values
        for key in values:
            if key not in cls.model_fields:
                close = get_close_matches(str(key), cls.model_fields, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                known = ", ".join(cls.model_fields)
                raise ValueError(f"Unknown parameter {key!r}.{hint} Parameters: {known}.")
        return values
