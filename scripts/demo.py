"""Ingest the samples into an index of its own and ask three questions: ``crag demo``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

from backends.settings import Settings
from scripts import runs
from scripts.asking import Wish, run
from scripts.console import console
from scripts.exits import Code
from scripts.progress import waiting

SAMPLES = Path(__file__).parent / "samples"
QUESTIONS = (
    ("How many days of paid holiday are there?", "One document has the answer"),
    ("How many people live in Oberlind?", "The village is named, but nothing says how many"),
    ("Who won the football world cup in 2018?", "Nothing here is about football"),
)
"""Three of ``samples/questions.json``, each with what makes it worth a look."""

_GRAPH = "corrective"
_CONTEXT = {"web_search": "off"}


def demo(*, quiet: bool) -> Code:
    """Show an answer, a refusal over near misses, and a refusal over nothing at all."""
    settings = Settings()
    out = console()
    out.print(Text(f"The engine is {engine(settings)}."))
    with _index_of_the_samples(settings, out) as graph:
        for number, (question, remark) in enumerate(QUESTIONS, 1):
            head = f"\n{number}. {question}"
            out.print(Text.assemble((head, "bold"), (f"\n   {remark}.\n", "dim")))
            run(graph, question, _CONTEXT, Wish(quiet=quiet))
    out.print(Text("\nNow your own documents: crag ingest PATH, then crag ask “…”."))
    return Code.DONE


def engine(settings: Settings) -> str:
    """Say what answers."""
    if settings.hosted:
        where = settings.base_url or "OpenAI's endpoint"
        return f"{settings.model_of('generator')} at {where}"
    return "the embedded default: extractive, offline, without a key; it quotes the documents"


@contextmanager
def _index_of_the_samples(settings: Settings, out: Console) -> Iterator[Any]:
    from backends.ingest import ingest

    with TemporaryDirectory(prefix="crag-demo-") as folder:
        own = settings.model_copy(update={"index_path": Path(folder), "index": "chroma"})
        backends = runs.make_backends(own)
        try:
            with waiting("Ingesting the samples"):
                report = ingest(sorted(SAMPLES.glob("*.md")), backends.index)
            out.print(Text(f"{len(report.files)} documents, {report.new_chunks} chunks."))
            yield runs.compiled(_GRAPH, backends)
        finally:
            backends.index.close()
