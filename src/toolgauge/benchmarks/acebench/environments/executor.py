"""Runs an agent's messages on a world: text to calls, calls to outcomes, outcomes to what the agent is told.

In `multi_turn` an error ends the message, and the agent is told of nothing else; in `multi_step` every call runs and is
answered (docs/acebench.md#agents). Under the exact scoring blanks and prose around the calls, objects as values and
calls over several lines are read (Q30), and arguments without a name are an error (Q22). Keys:
docs/acebench.md#scorings.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

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
from toolgauge.benchmarks.acebench.environments.declaration import CallOutcome, CallStatus
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.benchmarks.acebench.environments.world import World
from toolgauge.chat import Json

Manner = Literal["multi_turn", "multi_step"]

NO_CALLS = BilingualText(
    "Nothing could be carried out. Do not ask; go on with what is known, and write nothing but calls.",
    "没有可以执行的调用。请不要提问，根据已知信息继续，并且只输出调用。",
)
SKIPPED = BilingualText("Not carried out, since an earlier call of the message failed.", "由于此前的调用出错，未执行。")
UNNAMED = BilingualText("The arguments of {name} must be given by name.", "{name} 的参数必须写明参数名。")


class Execution(Struct, frozen=True):
    """What became of one message.

    calls: as decoded; outcomes: of those that were carried out, in order; undecodable: why there were none to decode.
    answers: plain JSON for each call, also for those that were skipped (for tool messages, one per call).
    content: the text that tells the agent, in the manner of the episode: JSON of the answers, or a notice.
    """

    calls: tuple[AceCall, ...]
    outcomes: tuple[CallOutcome, ...]
    answers: tuple[Any, ...]
    content: str
    undecodable: Undecodable | None = None

    @property
    def failed(self) -> bool:
        """Whether a call ended in an error."""
        return any(outcome.status is CallStatus.ERROR for outcome in self.outcomes)


class Executor:
    """Runs the messages of one episode on its world, and knows at the end whether there is a result.

    Which rules read a message is the scoring of the world.
    """

    def __init__(self, world: World, manner: Manner) -> None:
        self.world, self.manner = world, manner
        self.acted = False
        """Whether a message was executed, in `multi_turn` without an error: only then there is a result (6.1, 6.2)."""

    def decode(self, text: object) -> Decoded:
        """The calls of a message; in `multi_turn`, Undecodable means that it is speech to the user."""
        if self.world.rules.scoring == "exact":
            # Without brackets, speech that ends in a parenthesis would look like a call.
            decoded = decode_exact(text) if self.manner == "multi_turn" else decode_message_exact(text)
            return decoded or NO_LIST
        if self.manner == "multi_turn" and isinstance(text, str) and not looks_like_calls(text):
            return NO_LIST
        return decode_message(text)

    def run(self, text: object) -> Execution:
        """Executes a whole message; what cannot be decoded changes nothing."""
        decoded = self.decode(text)
        if isinstance(decoded, Undecodable):
            return Execution((), (), (), self._say(NO_CALLS), decoded)
        return self.run_calls(decoded)

    def run_calls(self, calls: Sequence[AceCall]) -> Execution:
        """Executes calls that came together, in order."""
        outcomes: list[CallOutcome] = []
        for call in calls:
            outcomes.append(self._call(call))
            if outcomes[-1].status is CallStatus.ERROR and self.manner == "multi_turn":
                break
        broken = self.manner == "multi_turn" and bool(outcomes) and outcomes[-1].status is CallStatus.ERROR
        self.acted = self.acted or not broken
        skipped = [self._say(SKIPPED)] * (len(calls) - len(outcomes))
        answers = [outcome.value for outcome in outcomes]
        content = str(answers[-1]) if broken else json.dumps(answers, ensure_ascii=False)
        return Execution(tuple(calls), tuple(outcomes), (*answers, *skipped), content)

    def result(self) -> list[Json]:
        """The saved state of the involved classes at the end of the episode; empty if nothing was executed."""
        return self.world.saved() if self.acted else []

    def _call(self, call: AceCall) -> CallOutcome:
        if call.positional and self.world.rules.scoring == "exact" and call.name in self.world.functions:
            return CallOutcome(CallStatus.ERROR, self._say(UNNAMED, name=call.name))
        return self.world.call(call.name, call.arguments)

    def _say(self, words: BilingualText, **gaps: object) -> str:
        return words.say(self.world.rules.language, **gaps)
