"""Every error that the project raises on purpose.

Messages are one or two lines and say what to do next::

    CragError
    ├── BadQuestion            the question is empty
    ├── ConfigError            a setting or argument is missing or wrong
    ├── SourceError            a search failed; never the same as "nothing found"
    │   ├── IndexFailed        the document index
    │   ├── WebSearchFailed    the web search
    │   └── RerankFailed       a reranker
    ├── IngestError            nothing could be ingested
    └── ModelError             a model or evaluator gave no reply
        ├── ModelUnavailable   time-out, rate limit or outage, after all retries
        │   └── FormFault      a server error on a form of structured output
        ├── ContextOverflow    the prompt is longer than the model's window
        └── ModelRejected      wrong key, unknown model, refused request
            └── FormRejected   the endpoint refuses this form of structured output
"""


class CragError(RuntimeError):
    """Base of all errors of the project.

    A ``RuntimeError``, since the Agent Server shows Studio the messages of the built-in kinds
    only, and of any other kind nothing but its name.
    """


class BadQuestion(CragError, ValueError):
    """The question is missing, empty or blank."""


class ConfigError(CragError):
    """A setting or an argument is missing or wrong."""


class SourceError(CragError):
    """A search failed, which is not the same as finding nothing.

    Attributes:
        retry_after: Seconds that the server asked to wait; ``None`` if it did not say.
        transient: Whether a further attempt may succeed.
    """

    def __init__(
        self, message: str, *, transient: bool = False, retry_after: float | None = None
    ) -> None:
        """Keep what the gateway needs for its retries."""
        super().__init__(message)
        self.transient = transient
        self.retry_after = retry_after


class IndexFailed(SourceError):
    """The document index could not be searched."""


class WebSearchFailed(SourceError):
    """The web could not be searched."""


class RerankFailed(SourceError):
    """A reranker gave no scores; the next tier of the cascade is asked."""


class IngestError(CragError):
    """Nothing could be ingested."""


class ModelError(CragError):
    """A model or an evaluator gave no reply.

    Attributes:
        retry_after: Seconds that the server asked to wait; ``None`` if it did not say.
        transient: Whether a further attempt may succeed.
    """

    transient = False

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        """Keep what the gateway needs for its retries."""
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnavailable(ModelError):
    """A time-out, a rate limit or an outage."""

    transient = True


class FormFault(ModelUnavailable):
    """The server failed on a form that never worked: an outage, or a form that it cannot do.

    Attributes:
        tries: The most that it is tried, since another form may work at once.
    """

    tries = 2


class ContextOverflow(ModelError):
    """The prompt is longer than the model's window."""


class ModelRejected(ModelError):
    """The endpoint refuses the request: key, model name or content."""


class FormRejected(ModelRejected):
    """The endpoint refuses this form of structured output."""
