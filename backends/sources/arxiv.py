"""arXiv, through the maintained client ``arxiv``."""

import re
import threading
from collections.abc import Iterator
from typing import Any

from backends.settings import Settings
from nodes.text import fold
from state.documents import Document
from state.errors import SourceError

_BETWEEN_REQUESTS = 3.0
_MOST_TERMS = 10
_TERM = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_OPERATORS = {"and", "or", "andnot"}
_PASSING = {408, 429}


class ArxivSource:
    """Searches arXiv and returns abstracts, best first.

    The service asks for three seconds between requests. The client keeps them, so all graphs
    of a process share one, one request at a time.

    Args:
        url: The API's address, without the query.
        seconds_between: Seconds between two requests.
        seconds: How long one request may take.
    """

    name = "arxiv"

    def __init__(
        self,
        url: str = "https://export.arxiv.org/api/query",
        *,
        seconds_between: float = _BETWEEN_REQUESTS,
        seconds: float = 10.0,
    ) -> None:
        """Keep the address; the client is made at the first search."""
        self._url = url
        self._seconds_between = seconds_between
        self._seconds = seconds
        self._lock = threading.Lock()
        self._client: Any = None

    @classmethod
    def from_settings(cls, settings: Settings) -> "ArxivSource":
        """Make the source of the settings' address."""
        return cls(settings.arxiv_url)

    def search(self, query: str, k: int) -> dict[str, Any]:
        """Return ``{"results": [Document, …], "doubt": …}`` with at most ``k`` abstracts.

        Results that came before a page failed are kept, and the doubt says so.

        Raises:
            SourceError: The service failed or refused; transient when that may pass.
        """
        wanted = query_of(query)
        if not wanted:
            return {"results": [], "doubt": "No word of the query can be asked of arXiv."}
        with self._lock:
            return self._collect(wanted, k)

    def _collect(self, query: str, k: int) -> dict[str, Any]:
        import arxiv
        import requests

        found: list[Document] = []
        try:
            for result in self._results(query, k):
                found.append(_document(result))  # noqa: PERF401 - what came before a failure stays
        except (arxiv.ArxivError, requests.RequestException) as error:
            failure = _named(error)
            if not found:
                raise failure from error
            return {"results": found, "doubt": f"There may be more. {failure}"}
        return {"results": found, "doubt": ""}

    def _results(self, query: str, k: int) -> Iterator[Any]:
        import arxiv

        if self._client is None:
            self._client = arxiv.Client(delay_seconds=self._seconds_between, num_retries=0)
            self._client.query_url_format = self._url + "?{}"
            self._client._session = _session(self._seconds)
        self._client.page_size = k
        return iter(self._client.results(arxiv.Search(query=query, max_results=k)))


def query_of(text: str) -> str:
    """Return a query that arXiv's parser takes, whatever is in the text.

    Accents are folded, since the service refuses them; brackets, quotes and operators go; the
    terms are joined by ``AND``. Empty when no Latin letter or digit is left.
    """
    terms = [t for t in dict.fromkeys(_TERM.findall(fold(text))) if t not in _OPERATORS]
    return " AND ".join(f"all:{term}" for term in terms[:_MOST_TERMS])


def _document(result: Any) -> Document:
    about = {
        "title": " ".join(result.title.split()),
        "url": result.entry_id,
        "source": result.entry_id,
        "authors": [author.name for author in result.authors][:10],
        "published": result.published.date().isoformat() if result.published else "",
    }
    return {"id": result.entry_id, "content": result.summary.strip(), "metadata": about}


def _session(seconds: float) -> Any:
    """Return a session as the client uses it, with the time limit that it leaves out.

    It also refuses a reply that is no feed: the client would read it as no results.
    """
    import requests

    class Session(requests.Session):
        def request(self, method: Any, url: Any, *args: Any, **kwargs: Any) -> requests.Response:
            response = super().request(method, url, *args, **{"timeout": seconds, **kwargs})
            if response.ok and b"<feed" not in response.content[:2000]:
                raise SourceError("arXiv sent something that is not a feed.", transient=True)
            return response

    return Session()


def _named(error: Exception) -> SourceError:
    """Return the project's error for what the client raises."""
    import arxiv

    if isinstance(error, arxiv.HTTPError):
        passing = error.status in _PASSING or error.status >= 500
        hint = " It is asked too often; try again later." if error.status == 429 else ""
        return SourceError(f"arXiv failed with HTTP {error.status}.{hint}", transient=passing)
    if isinstance(error, arxiv.ArxivError):
        return SourceError(f"arXiv failed: {error.message}", transient=True)
    return SourceError(
        "arXiv cannot be reached. Check the network, or leave it out with allowed_sources.",
        transient=True,
    )
