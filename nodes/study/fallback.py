"""Answer with low confidence when the passes are used up (document 003, node 13)."""

from nodes.abstention import abstains
from nodes.calls import Steps
from nodes.study import replies
from nodes.study.evidence import worth_reading
from nodes.study.writing import Written, write
from state.outcome import Update
from state.study import Language, StudyContext, StudyState


def fallback(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Write from partial evidence, else from the model's knowledge, and say which it is.

    Knowledge is never cited, and with ``on_no_evidence="refuse"`` the model is not asked for
    it. A generator that has no knowledge of its own admits so, and so does the answer.
    """
    evidence = worth_reading(state["ranked"], context)
    question, language = state["original_q"], state["language"]
    strict = context.on_no_evidence == "refuse"
    if evidence:
        prompt = "study_answer" if strict else "study_fallback"
        written = yield from write(prompt, question, evidence, context)
        if written.text and not abstains(written.text):
            return _ended(state, written, replies.HYBRID_NOTICE[language], written.text)
    if strict:
        return _ended(state, None, replies.NO_EVIDENCE_REFUSED[language])
    written = yield from write("study_knowledge", question, [], context)
    return _from_knowledge(state, written, language)


def _from_knowledge(state: StudyState, written: Written, language: Language) -> Update:
    if not written.text or abstains(written.text):
        return _ended(state, None, replies.NO_KNOWLEDGE[language])
    return _ended(state, None, replies.KNOWLEDGE_NOTICE[language], written.text)


def _ended(state: StudyState, written: Written | None, *paragraphs: str) -> Update:
    passes = "one pass" if state["retries"] == 1 else f"{state['retries']} passes"
    return {
        "answer": "\n\n".join(paragraphs),
        "citations": written.citations if written else [],
        "low_confidence": True,
        "status": "low_confidence",
        "stop_reason": f"{state['stop_reason']} That was after {passes}.".strip(),
        "documents": written.documents if written else [],
        "left_out": written.left_out if written else [],
        "invalid_citations": written.invalid if written else 0,
    }
