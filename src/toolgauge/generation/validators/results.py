"""What simulated results must satisfy beyond their form: written out, about what was asked, in accord with one another.

Each rule yields what fills in its objection's text (prompts/findings.<language>.json). A false objection costs a
request, and three of them a dialogue: a rule speaks up only where no real server would answer like that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from toolgauge.annotation.dialogue import CHECKERS, Action, Observation, Speaker
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.annotation.writes import reads, writes
from toolgauge.chat import Tool
from toolgauge.data.record import shown
from toolgauge.data.toolnames import name_words
from toolgauge.generation.state import AgentView
from toolgauge.generation.validators.stand_ins import left_out, stand_in
from toolgauge.generation.validators.things import Thing, contradiction, is_id, things_in

SUCCESS = range(200, 300)
Values = dict[str, object]


class Scene(Struct, frozen=True, dict=True):
    """What was said before, the calls, and what came back, one observation a call."""

    view: AgentView
    actions: tuple[Action, ...]
    observations: tuple[Observation, ...]

    @cached_property
    def said(self) -> str:
        """Everything that was said, called and answered before, and the calls, folded."""
        texts = [entry.text for entry in self.view.entries if entry.accepted and entry.speaker not in CHECKERS]
        texts += [str(value) for action in self.actions for _, value in leaves(action.arguments)]
        return "\n".join(map(folded, texts))

    @property
    def pairs(self) -> Iterator[tuple[int, Action, Observation]]:
        """(number from 1, call, observation)."""
        yield from ((n, *pair) for n, pair in enumerate(zip(self.actions, self.observations, strict=True), 1))

    @property
    def successes(self) -> Iterator[tuple[int, Action, Observation]]:
        yield from (one for one in self.pairs if one[2].status_code in SUCCESS)

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.view.tools if tool.name == name), None)

    def is_read(self, name: str) -> bool:
        """Does a tool surely only look something up?"""
        return reads(name, self._hint(name))

    def is_write(self, name: str) -> bool:
        """Does a tool surely change something?"""
        return writes(name, self._hint(name))

    def _hint(self, name: str) -> bool | None:
        tool = self.tool(name)
        return tool.read_only if tool else None


def _left_out(scene: Scene) -> Iterator[Values]:
    """An ellipsis, or words for a rest, instead of data."""
    for number, _, one in scene.pairs:
        for path, found in left_out(one.response):
            if folded(found) not in scene.said or not folded(found):
                yield {"number": number, "path": path, "value": shown(found)}
                break


def _stand_ins(scene: Scene) -> Iterator[Values]:
    """Placeholders instead of data."""
    for number, _, one in scene.pairs:
        for path, value in leaves(one.response):
            if isinstance(value, str) and (found := stand_in(value, path)) and folded(found) not in scene.said:
                yield {"number": number, "path": path or "response", "value": shown(found)}
                break


def _mixed_up(scene: Scene) -> Iterator[Values]:
    """The result of another call of the list."""
    heads = [_head(one.response) for _, _, one in scene.pairs]
    own = [_shared(action.arguments, head) for action, head in zip(scene.actions, heads, strict=True)]
    for number, (action, head) in enumerate(zip(scene.actions, heads, strict=True), 1):
        for other, rival in enumerate(scene.actions, 1):
            if other == number or own[number - 1] or own[other - 1]:
                continue
            if _shared(rival.arguments, head) and _shared(action.arguments, heads[other - 1]):
                yield {"number": number, "tool": action.name, "other": other}
                break


def _other_thing(scene: Scene) -> Iterator[Values]:
    """An id, a date or an amount of the call comes back as another one."""
    for number, action, one in scene.successes:
        head, told = _head(one.response), {folded(str(value)) for _, value in leaves(one.response)}
        for key, value in action.arguments.items():
            back = head.get(key)
            if folded(str(value)) in told or not _is_other(key, value, back, head, scene.is_write(action.name)):
                continue
            yield {"number": number, "path": key, "value": shown(back), "wanted": shown(value)}
            break


_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?=\Z|[T ])")
_AMOUNT = re.compile(r"(?:amount|price|seats|nights|guests|passengers|party_size|people|tickets|participants)")

_OTHERS = frozenset({"fee", "fees", "rate", "tax", "total", "discount", "currency", "converted"})
"""Beside these an amount may be another one than was asked for."""


def _is_other(key: str, value: object, back: object, head: Mapping[str, object], is_write: bool) -> bool:
    """Is what came back under an argument's name surely another thing? Amounts count only where something was done."""
    if isinstance(value, bool) or isinstance(back, bool | None | list | dict):
        return False
    one, other = folded(str(value)), folded(str(back))
    if is_id(key):
        return not (one in other or other in one)
    if isinstance(value, str) and isinstance(back, str) and _ISO_DATE.match(value) and _ISO_DATE.match(back):
        return value[:10] != back[:10]
    numbers = [one for one in (value, back) if isinstance(one, int | float)]
    if not is_write or len(numbers) < 2 or not _AMOUNT.fullmatch(key):
        return False
    return numbers[0] != numbers[1] and not _OTHERS & {word for name in head for word in name_words(name)}


_MOST_ACCOUNTS = 20
"""Earlier accounts of one thing that are compared."""


def _contradicts(scene: Scene) -> Iterator[Values]:
    """Another name, date or price of a thing than an earlier result told, with nothing written in between."""
    before: dict[tuple[str, str], list[tuple[str, Thing]]] = {}
    for tool, thing in _told_before(scene):
        before.setdefault(thing.id, []).append((tool, thing))
    for number, action, one in scene.successes:
        for told in things_in(one.response) if scene.is_read(action.name) else ():
            for tool, thing in before.get(told.id, [])[:_MOST_ACCOUNTS]:
                found = contradiction(told, thing)
                if found and (found[0] != "price" or _is_list_price(action, tool)):
                    name, now, then = found
                    yield {"number": number, "path": name, "id": told.value, "value": shown(now), "before": shown(then)}
                    return


def _is_list_price(action: Action, earlier: str) -> bool:
    """Is a price what a thing costs, whoever asks, and not a quotation for something or a rate of the moment?"""
    return action.name != earlier and all(is_id(key) for key in action.arguments)


def _told_before(scene: Scene) -> Iterator[tuple[str, Thing]]:
    """(tool, thing) of earlier results of reading, since the last call that may have changed the thing."""
    told: list[tuple[str, Thing]] = []
    actions: tuple[Action, ...] = ()
    for entry in scene.view.entries:
        if not entry.accepted:
            continue
        if entry.speaker is Speaker.PLANNER and entry.decision:
            actions = entry.decision.actions
        for action, one in zip(actions, entry.observations, strict=False):
            if scene.is_read(action.name):
                told += [(action.name, thing) for thing in things_in(one.response)]
            else:
                touched = {folded(str(value)) for _, value in (*leaves(action.arguments), *leaves(one.response))}
                told = [] if not touched else [pair for pair in told if folded(pair[1].value) not in touched]
    yield from told


_COUNTS = re.compile(r"(?P<of>\w+)_count|(?:total_)?count|total|total_(?P<what>\w+)|num_(?P<these>\w+)")
_HITS = re.compile(r"total_(?:results|hits|matches|found)|hits|matches")
_PAGING = frozenset(
    {"page", "pages", "limit", "offset", "cursor", "next", "more", "size", "top", "max", "per", "returned", "showing"}
    | {"shown", "skip", "start", "count", "first", "truncated"}
)
MOST_LISTED = 10
"""So many things a server lists at once."""
_PIECES = frozenset({"quantity", "qty", "count", "amount", "price", "cost", "total"})
_MONEY = frozenset({"currency", "price", "amount", "cost", "fee", "discount", "tax", "subtotal"})


def _wrong_total(scene: Scene) -> Iterator[Values]:
    """A number of things beside a list of another length, with nothing that says the list is a part of it."""
    for number, action, one in scene.successes:
        tool = scene.tool(action.name)
        asked = (tool.parameters.get("properties") or {}) if tool else {}
        if not isinstance(one.response, dict) or _pages({*action.arguments, *asked}) or _MONEY & one.response.keys():
            continue
        lists = {key: value for key, value in one.response.items() if isinstance(value, list)}
        counts = {key: value for key, value in one.response.items() if type(value) is int and _COUNTS.fullmatch(key)}
        if len(lists) != 1 or len(counts) != 1 or _pages(one.response.keys() - counts.keys()):
            continue
        ((key, count),), ((name, items),) = counts.items(), lists.items()
        if (key == "total" and not scene.is_read(action.name)) or count > max(len(items), MOST_LISTED):
            continue  # a booking's is a sum of money; of many things a server lists the first ones
        is_sum = any(isinstance(item, dict) and _PIECES & item.keys() for item in items) or _adds_up(items, count)
        is_part = count > len(items) and (_HITS.fullmatch(key) or name_words(action.name)[:1] in (["search"], ["find"]))
        if count != len(items) and not is_sum and not is_part and _counts_these(key, name):
            yield {"number": number, "path": key, "value": count, "list": name, "length": len(items)}


def _pages(names: Iterable[str]) -> bool:
    return any(_PAGING & set(name_words(name)) for name in names)


def _adds_up(items: list[object], count: int) -> bool:
    """Is a number the sum of a field of all members (votes)?"""
    members = [item for item in items if isinstance(item, dict)]
    sums: Counter[object] = Counter()
    for name, value in ((name, value) for one in members for name, value in one.items() if type(value) is int):
        sums[name] += value
    return count in sums.values()


def _counts_these(key: str, name: str) -> bool:
    """Is a number about the list beside it: `guest_count`, `total_guests` about `guests`, `total` about any?"""
    found = _COUNTS.fullmatch(key)
    of = (found["of"] or found["what"] or found["these"]) if found else None
    return of is None or of in ("total", "results", "items") or of.rstrip("s")[:4] == name.rstrip("s")[:4]


_CALLED = frozenset({"name", "tool", "tool_name", "function", "action", "arguments", "parameters", "args", "status"})


def _echoes(scene: Scene) -> Iterator[Values]:
    """The call itself instead of its result."""
    for number, action, one in scene.successes:
        told, asked = one.response, action.arguments
        if isinstance(told, dict) and asked:
            named = action.name in told.values() and any(part == asked for part in told.values())
            is_echo = (named and told.keys() <= _CALLED) or (told == asked and scene.is_read(action.name))
        else:
            is_echo = isinstance(told, str) and told.strip().startswith(f"{action.name}(")
        if is_echo:
            yield {"number": number, "tool": action.name}


_BESIDE_ERRORS = frozenset(
    {"error", "success", "ok", "status", "code", "error_code", "message", "detail", "details"}
    | {"timestamp", "request_id"}
)
_SAYS_WHY = re.compile(
    r"err|msg|message|detail|reason|title|code|status_?text|description|problem|why|cause|fault|issue", re.IGNORECASE
)


def _wrong_status(scene: Scene) -> Iterator[Values]:
    """An error with the status of a success, or the other way round."""
    for number, action, one in scene.pairs:
        told = one.response
        if not isinstance(told, dict):
            continue
        if is_success := one.status_code in SUCCESS:
            error, beside = told.get("error"), _BESIDE_ERRORS | action.arguments.keys()
            error = error or (told.get("message") if told.get("status") in ("error", "failed", "failure") else None)
            is_wrong = bool(error) and isinstance(error, str | dict) and told.keys() <= beside
        else:
            has_data = any(isinstance(part, dict | list) and part for part in told.values())
            is_wrong = told.get("success") is True or (has_data and not any(map(_SAYS_WHY.search, told)))
        if is_wrong:
            what = "error" if is_success else "result"
            yield {"number": number, "status": one.status_code, "what": what}


def _head(response: object) -> Mapping[str, object]:
    """What stands at the top of a result, and in the one object that it holds ({"order": {...}}); of objects beside
    other things their ids."""
    if not isinstance(response, dict):
        return {}
    inner = [part for part in response.values() if isinstance(part, dict)]
    if len(inner) == 1 and len(response) == 1:
        return inner[0]
    ids = {key: value for part in inner[:1] for key, value in part.items() if is_id(key) and key.lower() != "id"}
    return ids | response


def _shared(arguments: Mapping[str, object], head: Mapping[str, object]) -> bool:
    """Does a result repeat an argument under its name?"""
    return any(
        isinstance(value, str | int)
        and isinstance(head.get(key), str | int)
        and folded(str(value)) == folded(str(head[key]))
        for key, value in arguments.items()
    )


class ResultRule(NamedTuple):
    """name: of the rule and its text."""

    name: str
    check: Callable[[Scene], Iterator[Values]]


RULES: tuple[ResultRule, ...] = (
    ResultRule("observation_left_out", _left_out),
    ResultRule("observation_stand_in", _stand_ins),
    ResultRule("observation_mixed_up", _mixed_up),
    ResultRule("observation_other_thing", _other_thing),
    ResultRule("observation_contradicts", _contradicts),
    ResultRule("observation_total", _wrong_total),
    ResultRule("observation_echo", _echoes),
    ResultRule("observation_wrong_status", _wrong_status),
)
