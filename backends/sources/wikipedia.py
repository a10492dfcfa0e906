"""Wikipedia, through the maintained client ``wikipedia-api``."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from backends.settings import Settings
from state.documents import Document
from state.errors import SourceError

_AGENT = "corrective-rag/0.1 (study assistant; reads a few pages a question)"
_MOST_PAGES = 5
_MOST_CHARS = 20_000
_LONGEST_QUERY = 300
_OPERATORS = re.compile(
    r"[\[\]{}<>|#~^\"*?\\]|(?<!\w)[-!](?=\w)|\b(?:in|hasre)?(?:title|category|source|cat):|prefix:"
)
_TELLS_MEANINGS_APART = re.compile(
    r"\b(?:may|can|could|commonly|usually|also)? ?refers? to\s*(?::|any of|\n)"
    r"|قد (?:ت|ي)(?:شير|عني|قصد)|(?:ت|ي)مكن أن (?:ت|ي)شير|صفحة توضيح"
)
_PASSING = {"maxlag", "ratelimited", "readonly"}


class WikipediaSource:
    """Searches the Wikipedia of a language and returns the pages' text, best first.

    The exact title is tried first, as it was written: nothing is "corrected". Pages that only
    tell the meanings of a word apart, and empty ones, are left out.

    Args:
        url: The API's address; ``{language}`` in it stands for the language's code.
        seconds: How long one request may take.
    """

    name = "wikipedia"
    takes_language = True

    def __init__(
        self, url: str = "https://{language}.wikipedia.org/w/api.php", *, seconds: float = 10.0
    ) -> None:
        """Keep the address; nothing is opened before the first search."""
        self._url = url
        self._seconds = seconds

    @classmethod
    def from_settings(cls, settings: Settings) -> "WikipediaSource":
        """Make the source of the settings' address."""
        return cls(settings.wikipedia_url)

    def search(self, query: str, k: int, language: str = "en") -> list[Document]:
        """Return at most ``min(k, 5)`` pages for a query.

        Raises:
            SourceError: The service failed or refused; transient when that may pass.
        """
        plain = " ".join(_OPERATORS.sub(" ", query).split())[:_LONGEST_QUERY]
        most = min(k, _MOST_PAGES)
        if not plain or not most:
            return []
        with _failures_named(), self._client(language) as client:
            pages = (_page(client, title, language) for title in _titles(client, plain, most))
            return [page for page in pages if page is not None][:most]

    @contextmanager
    def _client(self, language: str) -> Iterator[Any]:
        """Open a client for one search; its retries are off, since the gateway has its own."""
        import httpx
        import wikipediaapi

        url = self._url.format(language=language)

        class Client(wikipediaapi.Wikipedia):  # type: ignore[misc]
            @staticmethod
            def _build_url(language: str) -> str:
                return url

            def _process_response(self, r: Any, url: str) -> dict[str, Any]:
                return _checked(super()._process_response(r, url))

        with httpx.HTTPTransport() as transport:
            yield Client(
                _AGENT, language, max_retries=0, timeout=self._seconds, transport=transport
            )


def _titles(client: Any, query: str, most: int) -> list[str]:
    """Return titles to read: the exact one first, then the search's, best first."""
    found = list(client.search(query, limit=most).pages)
    same = [title for title in found if title.casefold() == query.casefold()]
    return list(dict.fromkeys([*(same or [query]), *found]))


def _page(client: Any, title: str, language: str) -> Document | None:
    page = client.page(title)
    text = page.text.strip()
    if not text or _TELLS_MEANINGS_APART.search(text[:_LONGEST_QUERY]):
        return None
    url = f"https://{language}.wikipedia.org/wiki/{quote(page.title.replace(' ', '_'))}"
    about = {"title": page.title, "url": url, "source": url, "language": language}
    return {"id": url, "content": text[:_MOST_CHARS], "metadata": about}


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    """Raise the error that the service sends with status 200, or it would read as no results."""
    error = reply.get("error")
    if error is None:
        return reply
    code = str(error.get("code", ""))
    raise SourceError(
        f"Wikipedia refused the search ({code}): {str(error.get('info', ''))[:200]}",
        transient=code in _PASSING,
    )


@contextmanager
def _failures_named() -> Iterator[None]:
    import wikipediaapi.exceptions as theirs

    try:
        yield
    except theirs.WikiRateLimitError as error:
        raise SourceError(
            "Wikipedia is asked too often (429). Try again later.",
            transient=True,
            retry_after=error.retry_after,
        ) from error
    except theirs.WikiHttpError as error:
        raise SourceError(
            f"Wikipedia failed with HTTP {error.status_code}.", transient=error.status_code >= 500
        ) from error
    except (theirs.WikiHttpTimeoutError, theirs.WikiConnectionError) as error:
        raise SourceError(
            "Wikipedia cannot be reached. Check the network, or leave it out with allowed_sources.",
            transient=True,
        ) from error
    except theirs.WikiInvalidJsonError as error:
        raise SourceError("Wikipedia sent something that is not an API reply.") from error
