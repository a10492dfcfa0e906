"""Replace sources in a collection, so that it can be interrupted at any point."""

from collections.abc import Callable, Iterator, Sequence

from backends.chroma.ledger import Plan, Planned
from backends.chroma.nearest import unit
from backends.chroma.records import Record
from backends.chroma.shelf import Shelf, pages
from backends.embedder import Embedder
from backends.index import Source, Stored

_PAGE = 256

Rows = Sequence[tuple[Source, Sequence[Record]]]


def replace(
    shelf: Shelf, embedder: Embedder, sources: Rows, stored: Callable[[int], None]
) -> list[Stored]:
    """Plan, embed and write, then declare valid; call it under ``writing``.

    Args:
        shelf: Where to.
        embedder: Embeds the new chunks.
        sources: Each with its records.
        stored: Called with the number of chunks that are done, as they are.
    """
    sweep(shelf)
    with shelf.reading:
        plans = [_plan(shelf, source, records) for source, records in sources]
    pairs = [
        pair
        for plan, (_, records) in zip(plans, sources, strict=True)
        for pair in zip(plan.chunks, records, strict=True)
    ]
    for done in _write(shelf, embedder, pairs):
        stored(done)
    with shelf.reading:
        shelf.ledger.commit(plans)
        shelf.changed()
    sweep(shelf)
    return [_summary(plan) for plan in plans]


def sweep(shelf: Shelf) -> None:
    """Delete from Chroma what the ledger says is dead; call it under ``writing``."""
    with shelf.reading:
        dead = shelf.ledger.ids("dead")
    for page in pages(dead, _PAGE):
        shelf.collection.delete(page)
        with shelf.reading:
            shelf.ledger.forget(page)


def _plan(shelf: Shelf, source: Source, records: Sequence[Record]) -> Plan:
    digests = [record.digests for record in records]
    return shelf.ledger.plan(source.name, source.fingerprint, digests)


def _write(
    shelf: Shelf, embedder: Embedder, pairs: Sequence[tuple[Planned, Record]]
) -> Iterator[int]:
    """Write new chunks, and metadata that changed; yield how many chunks are done."""
    there = _written(shelf, [chunk.id for chunk, _ in pairs if chunk.was == "pending"])
    there |= {chunk.id for chunk, _ in pairs if chunk.was == "live"}
    new = [pair for pair in pairs if pair[0].id not in there]
    yield len(pairs) - len(new)
    for page in pages(new, _PAGE):
        contents = [record.content for _, record in page]
        shelf.collection.upsert(
            ids=[chunk.id for chunk, _ in page],
            embeddings=unit(embedder.embed(contents), embedder.name),
            documents=contents,
            metadatas=[record.metadata for _, record in page],
        )
        yield len(page)
    stale = [(c.id, r.metadata) for c, r in pairs if c.id in there and not c.same_metadata]
    for changed in pages(stale, _PAGE):
        shelf.collection.update(ids=[i for i, _ in changed], metadatas=[m for _, m in changed])


def _written(shelf: Shelf, ids: Sequence[str]) -> set[str]:
    """Return which of the chunks that an interrupted run planned were written."""
    return {i for page in pages(ids, _PAGE) for i in shelf.collection.get(page, include=[])["ids"]}


def _summary(plan: Plan) -> Stored:
    kept = sum(chunk.was == "live" for chunk in plan.chunks)
    return Stored(kept, len(plan.chunks) - kept, len(plan.gone))
