"""How a Self-RAG run is told, and how far each segment is supported."""

import io

from rich.console import Console

from scripts.memory import Memory
from scripts.render import parts, show
from scripts.steps import steps_of
from tests.graphs.test_self_rag import QUESTION, build, model, run, tagged
from tests.stubs import field

SUPS = {"": "Fully", "One.": "Partially", "One. Two.": "No"}
TEXTS = {"": "One.", "One.": "Two.", "One. Two.": "Three."}


def write(_, prompt):
    answer = field(prompt, "answer_so_far")
    return tagged(TEXTS[answer], sup=SUPS[answer])


def propose(answer):
    return "[Retrieve=No] Four. [IsUse=4]" if "Three" in answer else "[Retrieve=Yes]"


FOUR = {"max_segments": 4}


def lines():
    out = run(model(propose, write), **FOUR)
    return "\n".join(part.plain for part in parts(out, Memory())).splitlines()


def test_every_segment_is_shown_with_its_support_in_words():
    shown = lines()
    start = shown.index("Segments")
    told = [line.split(",")[0] for line in shown[start + 1 : start + 5]]
    assert told == [
        "  ✓ One. — fully supported",
        "  ? Two. — partly supported",
        "  ✗ Three. — not supported",
        "  • Four. — written without a document",
    ]


def test_segments_are_coloured_on_a_terminal_and_plain_elsewhere():
    out = run(model(propose, write), **FOUR)
    for colour in (True, False):
        stream = io.StringIO()
        system = "standard" if colour else None
        console = Console(file=stream, force_terminal=colour, color_system=system, width=100)
        show(console, out, Memory())
        assert ("\x1b[33m" in stream.getvalue()) is colour
        assert "partly supported" in stream.getvalue()


def test_the_steps_tell_decisions_candidates_and_what_was_kept():
    memory = Memory()
    graph = build(model(propose, write)).compile()
    updates = graph.stream({"question": QUESTION}, context=FOUR, stream_mode="updates")
    told = [
        step.text
        for update in updates
        for node, change in update.items()
        for step in steps_of(node, change, memory)
    ]
    assert "Segment 1: search" in told
    assert "Segment 4: write without a document" in told
    assert "Candidate from d1.md scored 2.50" in told
    assert "Kept “One.”" in told
