"""Which call a result answers, where results do not always say so."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable


class OpenCalls:
    """The calls of a message that have no result yet, in their order. Each is looked at a fixed number of times, for
    messages of anybody's may hold many.

    calls: the id and the tool of each.
    """

    def __init__(self, calls: Iterable[tuple[str, str | None]] = ()) -> None:
        self._ids: list[str] = []
        self._order = deque[int]()
        self._of_id: defaultdict[str, deque[int]] = defaultdict(deque)
        self._of_tool: defaultdict[str | None, deque[int]] = defaultdict(deque)
        self._answered: set[int] = set()
        for place, (call_id, tool) in enumerate(calls):
            self._ids.append(call_id)
            for queue in (self._order, self._of_id[call_id], self._of_tool[tool]):
                queue.append(place)

    def answered(self, given: str | None, tool: object = None) -> str | None:
        """The id of the call that a result answers, which is open no longer: the one that it names (given); without,
        that of the first with its tool, else of the first. A given id stays where no open call has it."""
        if given is not None:
            place = self._first(self._of_id.get(given))
        else:
            place = self._first(self._of_tool.get(tool) if isinstance(tool, str | None) else None)
            place = self._first(self._order) if place is None else place
        if place is not None:
            self._answered.add(place)
        return given or (None if place is None else self._ids[place])

    def _first(self, queue: deque[int] | None) -> int | None:
        """The first call of a queue that is open."""
        while queue and queue[0] in self._answered:
            queue.popleft()
        return queue[0] if queue else None
