"""``Backends``: what plays each role and what is searched, with lazy defaults."""

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal, get_args

from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable

from backends.adapters import check_searchable, search_index_plan, search_web_plan
from backends.attempts import Limiter
from backends.evaluators import EvaluatorPlayer
from backends.indexes import check_index_name, open_index
from backends.jobs import Plan
from backends.packing import pack
from backends.rerankers import Cascade, check_reranker
from backends.settings import Settings
from backends.sources import Memory, check_sources, default_source, search_source_plan
from nodes.calls import Ask, Call, Pack, Packed, Rerank, SearchIndex, SearchSource, SearchWeb
from state.errors import ConfigError

Role = Literal["grader", "rewriter", "generator", "checker", "triage", "router", "evaluator"]
ROLES: tuple[str, ...] = get_args(Role)
_PROMPT_TOKENS = 512
_SMALL = 20_000
"""Characters that are counted in less time than another thread takes to be asked."""


class Backends:
    """Everything a graph talks to; what is not given comes from the settings when first used.

    Args:
        model: Plays every role that has no backend of its own.
        grader: Grades documents.
        rewriter: Rewrites queries.
        generator: Writes answers.
        checker: Checks answers.
        triage: Classifies questions (the study graph).
        router: Chooses sources (the study graph).
        evaluator: Judges whether the evidence suffices (the study graph).
        index: A LangChain retriever, an object with ``search(query, k)`` (and optionally
            ``asearch``) that returns documents, best first, or the name of a way to search
            the settings' index: ``chroma`` (by nearness) or ``keyword`` (by common words).
        web: An object with ``search(query, max_results)`` (and optionally ``asearch``).
        sources: Further sources by name (the study graph: ``wikipedia``, ``arxiv``; ``curated``
            and ``web`` replace ``index`` and ``web`` there), each like ``index``.
        reranker: An object with ``score(query, texts)`` (and optionally ``ascore`` and
            ``scale``), the first tier of the study graph's cascade.
        settings: Limits, and the defaults of all the above; read from the environment and
            ``.env`` when not given.

    A role is played by a LangChain chat model, or by an evaluator: a callable from the role's
    fields to its reply (``docs/backends.md`` lists both).

    Raises:
        ConfigError: An argument cannot do what it is given for.
    """

    def __init__(
        self,
        *,
        model: Any = None,
        grader: Any = None,
        rewriter: Any = None,
        generator: Any = None,
        checker: Any = None,
        triage: Any = None,
        router: Any = None,
        evaluator: Any = None,
        index: Any = None,
        web: Any = None,
        sources: Mapping[str, Any] | None = None,
        reranker: Any = None,
        settings: Settings | None = None,
    ) -> None:
        """Check the arguments; open nothing."""
        self._given = {
            "grader": grader,
            "rewriter": rewriter,
            "generator": generator,
            "checker": checker,
            "triage": triage,
            "router": router,
            "evaluator": evaluator,
        }
        self._model = model
        for name, player in [("model", model), *self._given.items()]:
            _check_player(name, player)
        if isinstance(index, str):
            check_index_name(index)
        for name, source in [("index", index), ("web", web), *(sources or {}).items()]:
            if source is not None and not (name == "index" and isinstance(source, str)):
                check_searchable(name, source)
        check_sources(sources or {})
        check_reranker(reranker)
        self._sources = dict(sources or {})
        self._reranker = reranker
        self._index = index
        self._web = web
        if settings is not None:
            self.__dict__["settings"] = settings
        self._lock = threading.RLock()
        self._players: dict[tuple[str, str], Any] = {}
        self._memory = Memory()
        self._ladders: dict[Any, Any] = {}
        self._opened: set[tuple[str, ...]] = set()

    @cached_property
    def settings(self) -> Settings:
        """The settings, read when they are first needed."""
        return Settings()

    @cached_property
    def limiter(self) -> Limiter:
        """The limit on calls at a time, shared by all graphs built with these backends."""
        return Limiter(self.settings.max_concurrency)

    @property
    def index(self) -> Any:
        """The document index: the one given, else the settings' Chroma collection."""
        with self._lock:
            if self._index is None or isinstance(self._index, str):
                self._index = open_index(self._index or self.settings.index, self.settings)
            return self._index

    @property
    def web(self) -> Any:
        """The web search: the one given, else Tavily with the settings' key."""
        with self._lock:
            if self._web is None:
                from backends.tavily import TavilySearch

                self._web = TavilySearch.from_settings(self.settings)
            return self._web

    @cached_property
    def cascade(self) -> Cascade:
        """The rerankers: the one given, then those of the settings."""
        return Cascade(self._reranker, self.settings)

    def source(self, name: str) -> Any:
        """Return a source by name: the one given, else the default of that name."""
        with self._lock:
            if name not in self._sources:
                if name in ("curated", "web"):
                    return self.index if name == "curated" else self.web
                self._sources[name] = default_source(name, self.settings)
            return self._sources[name]

    def player(self, role: str, model: str = "") -> Any:
        """Return who plays a role: a ``ChatPlayer`` or an ``EvaluatorPlayer``.

        Args:
            role: The role.
            model: The model that a graph asks for, where the settings do not name one.
        """
        with self._lock:
            if (role, model) not in self._players:
                self._players[role, model] = self._cast(role, model)
            return self._players[role, model]

    def is_open(self, call: Call) -> bool:
        """Tell whether all that a call needs was opened before: to open it takes a while."""
        if isinstance(call, Pack):
            small = sum(len(document["content"]) for document in call.documents) < _SMALL
            return small and all((role, call.model) in self._players for role in call.roles)
        return _needs(call) in self._opened

    def plan(self, call: Call) -> Plan:
        """Plan the jobs that answer a call; what they need is opened when it is first planned."""
        plan = self._plan(call)
        self._opened.add(_needs(call))
        return plan

    def _plan(self, call: Call) -> Plan:
        if isinstance(call, Ask):
            plan: Plan = self.player(call.role, call.model).plan(call)
            return plan
        if isinstance(call, SearchSource):
            return search_source_plan(self.source(call.source), call, self._memory)
        if isinstance(call, Rerank):
            return self.cascade.plan(call)
        if isinstance(call, SearchIndex):
            return search_index_plan(self.index, call)
        if isinstance(call, SearchWeb):
            return search_web_plan(self.web, call)
        raise TypeError(f"No backend answers a {type(call).__name__}.")

    def pack(self, call: Pack) -> Packed:
        """Fit documents into the smallest window of the models that are going to read them."""
        windows = [self.player(role, call.model).window for role in call.roles]
        known = [window for window in windows if window is not None]
        if not known:
            return pack(call.documents, None)
        # A token is at least one byte, so the bytes bound the question's tokens without counting.
        beside = min(len(call.question.encode("utf-8", "replace")), min(known) // 2)
        room = min(known) - _PROMPT_TOKENS - beside
        return pack(call.documents, int(max(0, room) * call.share))

    def _cast(self, role: str, model: str) -> Any:
        named = self._given.get(role)
        player = self._model if named is None else named
        if player is None:
            player = self._default(role, model)
        if not isinstance(player, Runnable):
            return EvaluatorPlayer(role, player)
        from backends.chat import ChatPlayer
        from backends.forms import ladders_of
        from backends.models import identity_of

        ladders = self._ladders.setdefault(identity_of(player), ladders_of(player))
        return ChatPlayer(role, player, ladders, self.settings)

    def _default(self, role: str, model: str) -> Any:
        """Return the settings' chat model, else the embedded evaluator of the role."""
        if model:
            from backends.mistral import asked_model

            asked = asked_model(self.settings, model)
            if asked is not None:
                return asked
        if self.settings.hosted:
            from backends.chat import default_model

            return default_model(self.settings, role)
        from backends.embedded import evaluator

        return evaluator(role, self.settings)


def _needs(call: Call) -> tuple[str, ...]:
    """Name what a call needs to be open."""
    if isinstance(call, Ask):
        return "ask", call.role, call.model
    if isinstance(call, SearchSource):
        return "source", call.source
    return (type(call).__name__,)


def _check_player(name: str, player: Any) -> None:
    plays = isinstance(player, Runnable) and not isinstance(player, BaseRetriever)
    if player is None or plays or (_is_callable(player) and not isinstance(player, Runnable)):
        return
    kind = f"the class {player.__name__}" if isinstance(player, type) else type(player).__name__
    raise ConfigError(
        f"{name} must be a LangChain chat model or a callable evaluator, not {kind}. Pass one "
        "like ChatOpenAI(model=…), or name the model in CRAG_MODEL."
    )


def _is_callable(player: Any) -> bool:
    return isinstance(player, Callable) and not isinstance(player, type)  # type: ignore[arg-type]
