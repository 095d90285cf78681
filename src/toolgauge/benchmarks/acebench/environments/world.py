"""The world of one episode, and the executor that runs an agent's messages on it.

A world is set up afresh for every episode (Q32: the public one lives on between runs), from tables that it copies.
Source: docs/acebench.md#the-worlds; keys such as Q32: docs/acebench.md#scorings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.tables import copy_table
from toolgauge.benchmarks.acebench.decoder.decode import (
    NO_LIST,
    AceCall,
    Decoded,
    Undecodable,
    decode_exact,
    decode_message,
    decode_message_exact,
    looks_like_calls,
)
from toolgauge.benchmarks.acebench.environments.environment import (
    CallOutcome,
    CallStatus,
    Environment,
    Impossible,
    Scoring,
    Text,
)
from toolgauge.benchmarks.acebench.environments.phone import BaseApi, FoodPlatform, MessageApi, ReminderApi
from toolgauge.benchmarks.acebench.environments.travel import Travel
from toolgauge.chat import Json
from toolgauge.errors import UsageError

Manner = Literal["multi_turn", "multi_step"]

ENVIRONMENTS: dict[str, tuple[type[Environment], str | None]] = {
    "BaseApi": (BaseApi, None),
    "MessageApi": (MessageApi, "message"),
    "ReminderApi": (ReminderApi, "reminder"),
    "FoodPlatform": (FoodPlatform, "food"),
    "Travel": (Travel, "travel"),
}
"""The environments by name, each with the table that it starts from."""

MAX_DEPTH, MAX_PARTS = 80, 20_000
"""An argument may be nested this deep and consist of this many values."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes)

NO_CALLS: Text = (
    "Nothing could be carried out. Do not ask; go on with what is known, and write nothing but calls.",
    "没有可以执行的调用。请不要提问，根据已知信息继续，并且只输出调用。",
)
SKIPPED: Text = "Not carried out, since an earlier call of the message failed.", "由于此前的调用出错，未执行。"


class World:
    """The involved environments, in order, under the rules of a language ("en", "zh") and a scoring.

    tables: the initial tables as plain JSON, by name ("message", "reminder", "food", "travel"; more do no harm).
    config: an entry's initial_config; only its section BaseApi counts, since every environment takes that one last.
    Raises UsageError for an environment that does not exist, DataError for a table that cannot be used.
    """

    def __init__(
        self,
        involved: Sequence[str],
        tables: Mapping[str, Any],
        config: Any = None,
        language: str = "en",
        scoring: Scoring = "released",
    ) -> None:
        section = config.get("BaseApi") if isinstance(config, dict) else None
        section = section if isinstance(section, dict) else {}
        device = {"wifi": section.get("wifi", False), "logged_in": section.get("logged_in", True)}
        self.language, self.exact = language, scoring == "exact"
        self.environments: list[Environment] = []
        self.functions: dict[str, list[Environment]] = {}
        """Every function that a call may name, with the environments that have it."""
        for name in dict.fromkeys(involved):
            if name not in ENVIRONMENTS:
                raise UsageError(f"unknown environment {name!r}; choose one of {', '.join(ENVIRONMENTS)}")
            kind, table = ENVIRONMENTS[name]
            copy = copy_table(table, tables.get(table, {}), f"{table}.json") if table else {}
            environment = kind(copy, device, section, language, scoring)
            self.environments.append(environment)
            for function in sorted(kind.functions - environment.hidden()):
                self.functions.setdefault(function, []).append(environment)

    def call(self, name: Any, arguments: Any) -> CallOutcome:
        """Make one call on every environment that has the function; the last outcome counts. It never raises."""
        shown = name[:80] if isinstance(name, str) else "?"
        owners = self.functions.get(name) if isinstance(name, str) else None
        if not owners:
            return self.error(f"There is no function {shown}.", f"没有名为 {shown} 的函数。")
        try:
            given = _copy(arguments, MAX_DEPTH, [MAX_PARTS])
            if not isinstance(given, dict):
                raise Impossible("they are no object", "参数不是对象")
        except Impossible as problem:
            en, zh = problem.text
            return self.error(f"The arguments of {shown} cannot be used: {en}.", f"{shown} 的参数无法使用：{zh}。")
        outcomes = [environment.call(name, given) for environment in owners]
        return replace(outcomes[-1], value=as_json(outcomes[-1].value))

    def error(self, en: str, zh: str) -> CallOutcome:
        """That a call could not be carried out."""
        return CallOutcome(CallStatus.ERROR, as_json(self.say((en, zh))))

    def say(self, text: Text) -> str:
        return text[self.language == "zh"]

    def saved(self) -> list[Json]:
        """What a result holds: `{class: {attribute: value}}` per involved class, in order, as plain JSON."""
        return [{environment.name: as_json(environment.save())} for environment in self.environments]


class Execution(Struct, frozen=True):
    """What became of one message."""

    calls: tuple[AceCall, ...]
    """As decoded."""
    outcomes: tuple[CallOutcome, ...]
    """Of the calls that were carried out, in order."""
    answers: tuple[Any, ...]
    """Plain JSON for each call, also for those that were skipped (for tool messages, one per call)."""
    content: str
    """The text that tells the agent, in the manner of the episode: JSON of the answers, or a notice."""
    undecodable: Undecodable | None = None
    """Why there were no calls to decode."""

    @property
    def failed(self) -> bool:
        """Whether a call ended in an error."""
        return any(outcome.status is CallStatus.ERROR for outcome in self.outcomes)


class Executor:
    """Runs the messages of one episode on its world, and knows at the end whether there is a result.

    In `multi_turn` an error ends the message, and the agent is told of nothing else; in `multi_step` every call runs
    and is answered (docs/acebench.md#agents). Under the exact scoring blanks and prose around the calls, objects as
    values and calls over several lines are read (Q30), and arguments without a name are an error (Q22).
    """

    def __init__(self, world: World, manner: Manner) -> None:
        self.world, self.manner = world, manner
        self.acted = False
        """Whether a message was executed, in `multi_turn` without an error: only then there is a result (6.1, 6.2)."""

    def decode(self, text: object) -> Decoded:
        """The calls of a message; in `multi_turn`, Undecodable means that it is speech to the user."""
        if self.world.exact:
            # Without brackets, speech that ends in a parenthesis would look like a call.
            decoded = decode_exact(text) if self.manner == "multi_turn" else decode_message_exact(text)
            return decoded or NO_LIST
        if self.manner == "multi_turn" and isinstance(text, str) and not looks_like_calls(text):
            return NO_LIST
        return decode_message(text)

    def run(self, text: object) -> Execution:
        """Execute a whole message; what cannot be decoded changes nothing."""
        decoded = self.decode(text)
        if isinstance(decoded, Undecodable):
            return Execution((), (), (), self.world.say(NO_CALLS), decoded)
        return self.run_calls(decoded)

    def run_calls(self, calls: Sequence[AceCall]) -> Execution:
        """Execute calls that came together, in order."""
        outcomes: list[CallOutcome] = []
        broken = False
        for call in calls:
            outcomes.append(self._call(call))
            broken = self.manner == "multi_turn" and outcomes[-1].status is CallStatus.ERROR
            if broken:
                break
        self.acted = self.acted or not broken
        answers = [outcome.value for outcome in outcomes]
        content = str(answers[-1]) if broken else json.dumps(answers, ensure_ascii=False)
        answers += [self.world.say(SKIPPED)] * (len(calls) - len(outcomes))
        return Execution(tuple(calls), tuple(outcomes), tuple(answers), content)

    def result(self) -> list[Json]:
        """The saved state of the involved classes at the end of the episode; empty if nothing was executed."""
        return self.world.saved() if self.acted else []

    def _call(self, call: AceCall) -> CallOutcome:
        if call.positional and self.world.exact and call.name in self.world.functions:
            return CallOutcome(
                CallStatus.ERROR,
                self.world.say(
                    (f"The arguments of {call.name} must be given by name.", f"{call.name} 的参数必须写明参数名。")
                ),
            )
        return self.world.call(call.name, call.arguments)


def _copy(value: Any, depth: int, room: list[int]) -> Any:
    """A copy of an argument; Impossible if it is nested too deeply, too large or no plain data."""
    room[0] -= 1
    if depth < 0 or room[0] < 0:
        raise Impossible("an argument is nested too deeply or too large", "参数嵌套过深或过大")
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        return {key: _copy(item, depth - 1, room) for key, item in value.items()}
    if kind is list or kind is tuple:
        return kind(_copy(item, depth - 1, room) for item in value)
    raise Impossible("an argument is no plain value", "参数不是普通的值")


def as_json(value: object) -> Any:
    """A value as JSON can hold it: keys are texts, tuples lists; what JSON has no form for becomes its text."""
    if isinstance(value, dict):
        plain = {key: as_json(key) for key in value}
        return {
            plain[key] if isinstance(plain[key], str) else json.dumps(plain[key]): as_json(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 64 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return repr(value)
