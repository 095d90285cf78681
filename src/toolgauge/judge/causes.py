"""Which mistake it was: our procedure, by cause, and MMTB's official one. Arguments' mistakes come with their fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from toolgauge.data.session import ASK, FINAL
from toolgauge.judge.graph import CallGraph, bits
from toolgauge.judge.malformed import why_malformed
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.odd_texts import odd_text
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import CALLS, EMPTY, MALFORMED, TEXT, ReadReply
from toolgauge.judge.text_kinds import TextKind, kind_of_text
from toolgauge.reasons import Reason, ReasonCode, reason


class Situation(NamedTuple):
    """Where a run stood when a step failed.

    offered: names of the tools on offer; done: mask of the annotated calls made; ready: of those that may come next;
    unservable: no tool on offer can do what the user wants; asked: what the user said.
    """

    graph: CallGraph
    offered: Collection[str]
    done: int
    ready: int
    step: int
    unservable: bool = False
    asked: str = ""

    def due(self, name: str) -> bool:
        return bool(self.graph.by_name.get(name, 0) & self.ready)

    def names_due(self) -> set[str]:
        """The names of the calls that may come next and are not optional."""
        return {self.graph.names[index] for index in bits(self.ready & ~self.graph.optional)}

    def undone(self) -> Counter[str]:
        return Counter(name for index, name in enumerate(self.graph.names) if not self.done >> index & 1)


def cause_of(situation: Situation, turn: ReadReply) -> tuple[Mistake, Reason]:
    """The class of a failing step by its cause, and why: the conditions of docs/rules.md#mistakes, in their order."""
    if turn.kind == EMPTY:
        return Mistake.EMPTY_OUTPUT, Reason(DialogueCode.NO_OUTPUT)
    if turn.kind == MALFORMED:
        return Mistake.MALFORMED_CALL, why_malformed(turn.unread)
    if turn.kind == TEXT:
        mistake = Mistake.REFUSAL if situation.step == 0 else Mistake.EARLY_TERMINATION
        kind: ReasonCode = kind_of_text(turn.text, situation.offered)
        if kind is not TextKind.CALL_AS_TEXT:
            kind = odd_text(turn.text, situation.offered, situation.asked) or kind
        due = tuple(sorted(situation.names_due()))
        return mistake, reason(DialogueCode.TEXT_FOR_CALLS, names=due, kind=kind.value)
    made = Counter(call.name for call in turn.calls)
    if unknown := made.keys() - set(situation.offered):
        return Mistake.UNKNOWN_TOOL, _about(DialogueCode.NOT_OFFERED, unknown)
    if situation.graph.names == (FINAL,):
        code = DialogueCode.CALLS_FOR_UNSERVABLE if situation.unservable else DialogueCode.CALLS_FOR_REPLY
        return Mistake.NEEDLESS_TOOL, _about(code, made)
    if situation.due(ASK):
        return Mistake.MISSED_CLARIFICATION, _about(DialogueCode.CALLS_FOR_QUESTION, made)
    return _wrong_calls(situation, made)


def _about(code: DialogueCode, names: Iterable[str]) -> Reason:
    return reason(code, names=tuple(sorted(names)))


def _wrong_calls(situation: Situation, made: Counter[str]) -> tuple[Mistake, Reason]:
    undone = situation.undone()
    if made <= undone:
        early = [name for name in made if made[name] > (situation.graph.by_name[name] & situation.ready).bit_count()]
        why = _about(DialogueCode.TOO_EARLY, early) if early else Reason(DialogueCode.TOO_EARLY_IN_STEP)
        return Mistake.ORDER_VIOLATION, why
    strangers = [name for name in made if name not in situation.graph.by_name]
    if strangers:
        return Mistake.WRONG_TOOL, _about(DialogueCode.NOT_IN_ANSWER, strangers)
    return Mistake.REDUNDANT_CALL, _about(DialogueCode.TOO_OFTEN, (made - undone).keys())


def official_action_class(gold: Sequence[str], turns: Sequence[ReadReply], offered: Collection[str]) -> Mistake:
    """MMTB's class of a task whose names failed (docs/rules.md#mmtbs-procedure).

    gold: the names of all annotated calls, closing reply included.
    """
    if len(turns) <= 1 and not any(turn.kind == CALLS for turn in turns):
        return Mistake.REFUSAL
    if list(gold) == [FINAL]:
        return Mistake.NEEDLESS_TOOL
    noted: list[str] = []
    found: Mistake | None = None
    for turn in turns:
        if turn.kind != CALLS:
            noted.append(ASK)
        for call in turn.calls:
            if call.name == "filter_by_prompt":
                found = Mistake.REFUSAL
            elif call.name not in offered:
                found = Mistake.UNKNOWN_TOOL
            else:
                noted.append(call.name)
    return found or _official_by_names(gold, noted)


def _official_by_names(gold: Sequence[str], noted: list[str]) -> Mistake:
    if ASK in gold and ASK not in noted:
        return Mistake.MISSED_CLARIFICATION
    if len(noted) > len(gold) - 1:
        return Mistake.REDUNDANT_CALL
    missing, extra = Counter(gold) - Counter(noted), Counter(noted) - Counter(gold)
    if missing[ASK]:
        return Mistake.MISSED_CLARIFICATION
    if extra:
        return Mistake.REDUNDANT_CALL if extra.keys() <= set(gold) else Mistake.WRONG_TOOL
    return Mistake.EARLY_TERMINATION
