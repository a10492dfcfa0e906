"""Remember what sources gave, to tell a throttled reply from an empty one."""

import threading
from collections import OrderedDict

from nodes.calls import Found, SearchSource
from state.documents import Document

_MOST = 256
_DOUBT = (
    "It gave nothing, where the same query gave {count} result(s) before, as services do that "
    "are asked too often; the earlier results are used."
)


class Memory:
    """The last results of the queries asked most recently; thread-safe."""

    def __init__(self, most: int = _MOST) -> None:
        """Start empty."""
        self._most = most
        self._kept: OrderedDict[tuple[str, str, int, str], list[Document]] = OrderedDict()
        self._lock = threading.Lock()

    def checked(self, call: SearchSource, found: Found) -> Found:
        """Return what was found; for nothing after something, the earlier results and a doubt."""
        key = (call.source, call.query, call.k, call.language)
        with self._lock:
            if found.documents:
                self._kept[key] = found.documents
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
                return found
            earlier = self._kept.get(key, [])
        return Found(earlier, _DOUBT.format(count=len(earlier))) if earlier else found
