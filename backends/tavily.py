"""The web, through Tavily; every way to fail is told apart from finding nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from pydantic import SecretStr

from backends.found import documents_from
from backends.redaction import one_line, scrub
from backends.responses import retry_after
from backends.settings import Settings
from state.documents import Document
from state.errors import CragError, WebSearchFailed

_TAVILY = "https://api.tavily.com"
_LONGEST_QUERY = 400
_MOST_RESULTS = 20
_NO_KEY = "The web search has no key. Set TAVILY_API_KEY, or turn the web search off."
_REFUSALS = {
    400: "Tavily refused the query (400)",
    401: "Tavily refused the key (401). Check TAVILY_API_KEY",
    403: "Tavily refused access (403). Check what TAVILY_API_KEY may do",
    404: "Tavily was not found (404). Check CRAG_TAVILY_BASE_URL",
    429: "Tavily is asked too often (429). Try again later",
    432: "The limit of the Tavily plan is used up (432). Raise it, or wait until it is renewed",
    433: "The pay-as-you-go limit at Tavily is used up (433). Raise it",
}


class TavilySearch:
    """Searches the web; one document a hit, with its ``url``, ``title`` and ``score``.

    The client does not retry, so the gateway's tries are the only ones.

    Args:
        api_key: Tavily's key; without one every search fails before it goes out, where the
            client would go out without.
        base_url: Where else than at ``https://api.tavily.com`` to ask, without a path.
        timeout: Seconds that one search may take, at most 120.
    """

    name = "tavily"

    def __init__(
        self, api_key: SecretStr | None, *, base_url: str | None = None, timeout: float = 60.0
    ) -> None:
        """Keep them; the client is imported and opened with each search."""
        self._api_key = api_key
        self._base_url = base_url.rstrip("/") if base_url else None
        self._timeout = timeout

    @classmethod
    def from_settings(cls, settings: Settings) -> "TavilySearch":
        """Make the search of the settings' key and endpoint."""
        return cls(
            settings.tavily_api_key, base_url=settings.tavily_base_url, timeout=settings.timeout
        )

    def search(self, query: str, max_results: int) -> list[Document]:
        """Search, blocking.

        Args:
            query: What to search for; Tavily takes 400 characters, so a longer one is cut at
                a word.
            max_results: How many hits to ask for; Tavily gives at most 20.

        Returns:
            Documents, best first; hits without text are left out.

        Raises:
            WebSearchFailed: There is no key, or Tavily failed or refused; transient when a
                further try may succeed.
        """
        key, wanted = self._key(), self._wanted(query, max_results)
        heard = _Heard(SecretStr(key))
        from tavily import TavilyClient

        with _failures_named(heard), TavilyClient(key, api_base_url=self._base_url) as client:
            client.session.hooks["response"].append(heard.note)
            client.search(**wanted)
            return _documents(heard)

    async def asearch(self, query: str, max_results: int) -> list[Document]:
        """Do the same without blocking."""
        key, wanted = self._key(), self._wanted(query, max_results)
        heard = _Heard(SecretStr(key))
        import httpx
        from tavily import AsyncTavilyClient

        base = self._base_url or _TAVILY
        opened = {"base_url": base, "verify": _certificates(), "follow_redirects": True}
        with _failures_named(heard):
            # A client a search: its connections belong to the event loop.
            async with httpx.AsyncClient(**opened, event_hooks={"response": [heard.anote]}) as http:
                await AsyncTavilyClient(key, api_base_url=base, client=http).search(**wanted)
                return _documents(heard)

    def _key(self) -> str:
        key = self._api_key.get_secret_value().strip() if self._api_key else ""
        if not key:
            raise WebSearchFailed(_NO_KEY)
        return key

    def _wanted(self, query: str, max_results: int) -> dict[str, Any]:
        text = query.strip()
        if not text:
            raise WebSearchFailed("There is no query to search the web for.")
        most = max(1, min(max_results, _MOST_RESULTS))
        return {"query": _cut(text), "max_results": most, "timeout": self._timeout}


@cache
def _certificates() -> Any:
    """Load the certificates once: it takes longer than all else that a client's making takes."""
    import httpx

    return httpx.create_ssl_context()


class _Heard:
    """The response to one search: the client's errors and results leave most of it out."""

    def __init__(self, key: SecretStr) -> None:
        self.key = key
        self.status: int | None = None
        self.headers: Mapping[str, str] = {}
        self.body: Any = None
        self.is_json = False

    def note(self, response: Any, **_: Any) -> None:
        self.status, self.headers = response.status_code, response.headers
        try:
            self.body, self.is_json = response.json(), True
        except ValueError:
            self.is_json = False

    async def anote(self, response: Any) -> None:
        await response.aread()
        self.note(response)

    def said(self) -> str:
        """Return what Tavily said was wrong, without the key."""
        detail = self.body.get("detail", self.body.get("error")) if self._is_mapping() else None
        text = detail.get("error") if isinstance(detail, Mapping) else detail
        return one_line(scrub(str(text), [self.key]), 200) if text else ""

    def _is_mapping(self) -> bool:
        return isinstance(self.body, Mapping)


def _documents(heard: _Heard) -> list[Document]:
    """Read the hits from the body itself: the client adds an empty list where there is none."""
    body = heard.body
    found = body.get("results") if isinstance(body, Mapping) else None
    if not isinstance(found, list) or (not found and heard.said()):
        said = heard.said() or one_line(scrub(str(body), [heard.key]), 200)
        raise WebSearchFailed(f"Tavily sent no results but: {said}")
    return documents_from([hit for hit in found if _has_text(hit)], WebSearchFailed)


def _has_text(hit: Any) -> bool:
    """Tell whether a hit has text; what is no hit at all is left for the error it deserves."""
    return not isinstance(hit, Mapping) or bool(str(hit.get("content") or "").strip())


def _cut(query: str) -> str:
    if len(query) <= _LONGEST_QUERY:
        return query
    words = query[: _LONGEST_QUERY + 1].rsplit(maxsplit=1)
    return (words[0] if len(words) > 1 else query)[:_LONGEST_QUERY]


@contextmanager
def _failures_named(heard: _Heard) -> Iterator[None]:
    """Raise the project's error for whatever the client raises."""
    try:
        yield
    except CragError:
        raise
    except Exception as error:  # noqa: BLE001 - two HTTP libraries and the client's own errors
        shown = scrub(f"{error!r} {error}", [heard.key])
        raise _failure(error, heard) from (error if shown == f"{error!r} {error}" else None)


def _failure(error: Exception, heard: _Heard) -> WebSearchFailed:
    status, said = heard.status, heard.said()
    if status is None:
        return _unreached(error, heard)
    if status == 200:
        cut_off = not heard.is_json and "json" in str(heard.headers.get("content-type", ""))
        return WebSearchFailed(
            "Tavily sent something that is not an API reply. Check CRAG_TAVILY_BASE_URL and "
            "the proxy.",
            transient=cut_off,
        )
    what = _REFUSALS.get(status, f"Tavily failed ({status})")
    asked = retry_after(heard.headers)
    waits = "" if asked is None else f" It asks to wait {asked:g} s."
    return WebSearchFailed(
        f"{what}{f': {said}' if said else '.'}{waits}",
        transient=status in (408, 425, 429) or status >= 500,
        retry_after=asked,
    )


def _unreached(error: Exception, heard: _Heard) -> WebSearchFailed:
    if "Timeout" in type(error).__name__:
        return WebSearchFailed(
            "Tavily gave no reply in time. Raise CRAG_TIMEOUT, or try again.", transient=True
        )
    said = one_line(scrub(f"{type(error).__name__}: {error}", [heard.key]), 200)
    return WebSearchFailed(
        f"Tavily cannot be reached: {said} Check the network and CRAG_TAVILY_BASE_URL.",
        transient=True,
    )
