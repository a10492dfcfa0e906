"""Backends about a kettle: evaluators that read the documents, with switches for what goes wrong.

Run as a program (``python -m tests.scripts.kettle ask …``) it is ``crag`` with these backends,
set by the environment; so that pipes, signals and terminals can be tested for real.
"""

import os
import threading
import time

from backends import Backends, Settings

QUESTION = "How long is the warranty of the kettle?"
PRAISE = "It is the best kettle of all."
REASON_YES = "It states the length of the warranty."
REASON_NO = "It does not say how long the warranty is."
WEB_URL = "https://example.org/kettles"
DOCUMENTS = [
    {
        "id": f"00000000-0000-4000-8000-00000000000{i}",
        "content": content,
        "metadata": {"source": f"shop/{source}", "title": title},
    }
    for i, (title, source, content) in enumerate(
        [
            ("Warranty terms", "warranty.md", "The warranty lasts 24 months."),
            ("Returns", "returns.md", "Goods can be returned."),
            ("الضمان 🫖", "arabic.md", "لا شيء هنا"),
        ]
    )
]


class Kettle:
    """Everything that the runs talk to, and what it heard.

    Attributes:
        relevant: Whether any document is relevant.
        praises: Whether the first draft has an unsupported claim.
        hang: The role whose calls never return; empty for none.
        documents: The documents of the index.
        web_queries: What was searched on the web.
    """

    def __init__(self, *, relevant: bool = True, praises: bool = False, hang: str = "") -> None:
        self.relevant = relevant
        self.praises = praises
        self.hang = hang
        self.documents = list(DOCUMENTS)
        self.web_queries: list[str] = []
        self.graded = threading.Event()

    def backends(self, settings: Settings | None = None) -> Backends:
        """Return them as the command line's backends."""
        return Backends(
            grader=self._grade,
            rewriter=self._rewrite,
            generator=self._write,
            checker=self._check,
            index=_Index(self),
            web=_Web(self),
            settings=settings or Settings(_env_file=None),
        )

    def _wait(self, role: str) -> None:
        if role == self.hang:
            time.sleep(60)

    def _grade(self, doc):
        self._wait("grader")
        good = self.relevant and "24 months" in doc["content"]
        return {"relevant": good, "reason": REASON_YES if good else REASON_NO}

    def _rewrite(self, question):
        return "kettle warranty length"

    def _write(self, docs, unsupported_claims=()):
        self._wait("generator")
        praise = f" {PRAISE}" if self.praises and not unsupported_claims else ""
        return f"The warranty lasts 24 months [{docs[0]['id']}].{praise}"

    def _check(self, answer):
        claims = [PRAISE] if PRAISE in answer else []
        return {"supported": not claims, "unsupported_claims": claims}


class _Index:
    name = "kettle-index"

    def __init__(self, kettle: Kettle) -> None:
        self._kettle = kettle

    def count(self) -> int:
        return len(self._kettle.documents)

    def search(self, query: str, k: int):
        self._kettle._wait("search")
        return self._kettle.documents[:k]


class _Web:
    name = "kettle-web"

    def __init__(self, kettle: Kettle) -> None:
        self._kettle = kettle

    def search(self, query: str, max_results: int):
        self._kettle.web_queries.append(query)
        content = "The warranty lasts 24 months, says the web."
        return [{"url": WEB_URL, "title": "Kettles", "content": content}]


def main() -> None:
    """Run ``crag`` with these backends; the web says on stderr what it is asked."""
    from scripts import cli, runs

    kettle = Kettle(
        relevant=os.environ.get("KETTLE_RELEVANT", "yes") == "yes",
        hang=os.environ.get("KETTLE_HANG", ""),
    )
    runs.make_backends = kettle.backends
    cli.main()


if __name__ == "__main__":
    main()
