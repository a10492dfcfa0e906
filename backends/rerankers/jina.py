"""Jina's reranker API: ``POST /v1/rerank``, scores in [0, 1]."""

import ssl
from functools import cache
from typing import Any

from pydantic import SecretStr

from backends.redaction import one_line, scrub
from backends.responses import retry_after
from backends.settings import Settings
from state.errors import ConfigError, RerankFailed

_WHAT_TO_DO = {
    401: "refused the key. Check JINA_API_KEY",
    402: "has no balance left for this key. Top it up, or unset JINA_API_KEY",
    403: "refused the key. Check JINA_API_KEY",
    404: "was not found. Check CRAG_JINA_BASE_URL",
    422: "refused the request. Check reranker_model",
    429: "is asked too often. Try again later",
}
_PASSING = {408, 429}
_SHOWN = 200


class JinaReranker:
    """Scores with a model at Jina, or at any service that speaks its protocol.

    Args:
        key: The API's key.
        model: The model's name.
        base_url: The API's address, up to ``/v1``.
        seconds: How long one request may take.
    """

    scale = "probability"

    def __init__(self, key: str, model: str, base_url: str, *, seconds: float = 20.0) -> None:
        """Keep the arguments; nothing is opened before the first request."""
        self.name = model
        self._url = f"{base_url.rstrip('/')}/rerank"
        self._key = SecretStr(key)
        self._seconds = seconds

    @classmethod
    def from_settings(cls, settings: Settings, model: str) -> "JinaReranker":
        """Make the reranker with the settings' key.

        Raises:
            ConfigError: There is no key.
        """
        if settings.jina_api_key is None:
            raise ConfigError("There is no JINA_API_KEY.")
        key = settings.jina_api_key.get_secret_value()
        return cls(key, model, settings.jina_base_url)

    def score(self, query: str, texts: list[str]) -> list[float]:
        """Return one score per text, in their order, whatever order the reply has.

        Raises:
            RerankFailed: The service refused or failed; transient when that may pass.
        """
        import httpx

        with httpx.Client(**self._options()) as client:
            try:
                reply = client.post(self._url, json=self._body(query, texts))
            except httpx.HTTPError as error:
                raise _unreachable(error) from error
        return self._read(reply, len(texts))

    async def ascore(self, query: str, texts: list[str]) -> list[float]:
        """Do the same without blocking."""
        import httpx

        async with httpx.AsyncClient(**self._options()) as client:
            try:
                reply = await client.post(self._url, json=self._body(query, texts))
            except httpx.HTTPError as error:
                raise _unreachable(error) from error
        return self._read(reply, len(texts))

    def _read(self, reply: Any, count: int) -> list[float]:
        if reply.status_code != 200:
            raise self._refused(reply)
        try:
            results = reply.json()["results"]
            by_index = {int(r["index"]): float(r["relevance_score"]) for r in results}
            return [by_index[index] for index in range(count)]
        except (ValueError, KeyError, TypeError) as error:
            raise RerankFailed(
                f"The reranker API sent a reply without a score for each text: {self._said(reply)}"
            ) from error

    def _refused(self, reply: Any) -> RerankFailed:
        status = reply.status_code
        what = _WHAT_TO_DO.get(status, f"failed: {self._said(reply)}")
        return RerankFailed(
            f"The reranker API {what} ({status}).",
            transient=status in _PASSING or status >= 500,
            retry_after=retry_after(reply.headers),
        )

    def _said(self, reply: Any) -> str:
        """Return the beginning of a reply without the key, which some servers echo."""
        return one_line(scrub(reply.text, [self._key]), _SHOWN)

    def _options(self) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        return {"headers": headers, "timeout": self._seconds, "verify": _certificates()}

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        return {
            "model": self.name,
            "query": query,
            "documents": texts,
            "top_n": len(texts),
            "return_documents": False,
        }


def _unreachable(error: Exception) -> RerankFailed:
    return RerankFailed(
        f"The reranker API cannot be reached ({type(error).__name__}). Check the network and "
        "CRAG_JINA_BASE_URL.",
        transient=True,
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Load the trusted certificates once: it takes longer than a request on a warm network."""
    import httpx

    return httpx.create_ssl_context()
