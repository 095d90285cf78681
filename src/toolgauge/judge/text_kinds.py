"""What a text is that came where a tool call was due: a sub-class of `refusal` and `early_termination`.

Sentences are recognised by patterns (text_patterns.py), in English and Chinese and in both at once; what they are
together follows from `kind_of_text`'s order. Where no pattern is sure the answer is `text_instead_of_call`.

Source: docs/rules.md#text-where-a-call-was-due, with the measured precision and recall.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from toolgauge.judge import text_patterns as patterns
from toolgauge.judge.written_calls import has_written_call, has_written_result
from toolgauge.languages import HAN
from toolgauge.reasons import N_, ReasonCode

LONGEST = 6000
"""Characters of a text that are looked at: the first two thirds and the last third of them."""
SENTENCE = 400
"""Characters of a sentence that are looked at."""
LOOP_LENGTH, LOOP_PIECE, LOOP_SHARE = 50, 8, 0.65
"""A text of this length or more is a loop if of its pieces of so many characters less than this share are different."""
RARE, RARE_SHARE = 3, 0.05
"""So many rare Chinese characters (outside GB 2312's first level), and this share of them, make a text nonsense."""

_THOUGHT = re.compile(r"\A.*</(?:think|thinking|reasoning)>|<(?:think|thinking|reasoning)>.*\Z", re.DOTALL)
"""Reasoning up to its last closing mark (its opening one may stand in the prompt), and reasoning that never ends."""
_MARKS = re.compile(r"[*#>`~|]")
_ENDS = re.compile(r"(?<=[.!?])(?<!^\d\.)(?<!\n\d\.)[\s\"')]+|(?<=[。！？；!?])|\n+|(?<=\.\.\.)|(?<=……)")
_MARKS_ONLY = re.compile(r"([;；!！?？,，、＋－＃])\1{4}")
_ASKING = re.compile(r"[?？][\W_]*$")


class TextKind(ReasonCode):
    """What the text is; written as the parameter `kind` of the reason `text_for_calls`."""

    CALL_AS_TEXT = "call_as_text", N_("writes a call out as text")
    ANSWERED_FROM_NOTHING = "answered_from_nothing", N_("states a result without having called")
    NEEDLESS_QUESTION = "needless_question", N_("asks the user back where nothing is missing")
    DECLINED = "declined", N_("says that it cannot or will not")
    ANNOUNCED_CALL = "announced_call", N_("announces a call without making it")
    TEXT_INSTEAD_OF_CALL = "text_instead_of_call", N_("some other text")


def kind_of_text(text: str, tools: Collection[str]) -> TextKind:
    """The kind of a text. tools: names of the tools on offer. Takes time in proportion to at most `LONGEST` characters.

    The first that holds: a call written out; something claimed to be done or found; a question; a refusal; a value or
    state told as a fact; an announcement; an offer. Reasoning between tags is left out.
    """
    shown = _THOUGHT.sub("", _bounded(text))
    if has_written_call(shown, tools):
        return TextKind.CALL_AS_TEXT
    if has_written_result(shown):
        return TextKind.ANSWERED_FROM_NOTHING
    if is_loop(shown) or is_nonsense(shown):
        return TextKind.TEXT_INSTEAD_OF_CALL
    sentences = list(_sentences(shown))
    for kind, holds in _ORDER:
        if any(holds(sentence) for sentence in sentences):
            return kind
    return TextKind.TEXT_INSTEAD_OF_CALL


def is_loop(text: str) -> bool:
    """Whether a text goes on repeating itself."""
    pieces = len(text) - LOOP_PIECE + 1
    if len(text) < LOOP_LENGTH:
        return False
    different = {text[start : start + LOOP_PIECE] for start in range(pieces)}
    return len(different) < LOOP_SHARE * pieces


def is_nonsense(text: str) -> bool:
    """Whether a punctuation mark is repeated again and again, or many Chinese characters are rare ones."""
    if _MARKS_ONLY.search(text):
        return True
    han = HAN.findall(text.translate(patterns.FOLDED))
    return sum(map(_is_rare, han)) >= max(RARE, RARE_SHARE * len(han))


def _is_rare(character: str) -> bool:
    code = character.encode("gb2312", "replace")
    return len(code) < 2 or code[0] >= 0xD8


def plain(text: str) -> str:
    """As the patterns expect a text: small letters, straight quotes, simplified Chinese, no Markdown marks."""
    return _MARKS.sub("", text.lower().translate(patterns.FOLDED))


def _bounded(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST * 2 // 3]}\n{text[-LONGEST // 3 :]}"


def _sentences(text: str) -> Iterator[str]:
    for piece in _ENDS.split(plain(text)):
        sentence = piece.strip(" \t\r-•\"'")[:SENTENCE]
        if any(map(str.isalnum, sentence)):
            yield sentence


def _claims(sentence: str) -> bool:
    return (
        not _ASKING.search(sentence)
        and not patterns.CONDITIONAL.search(sentence)
        and not patterns.DECLINES.search(sentence)
        and bool(patterns.CLAIMS.search(sentence))
    )


def _asks(sentence: str) -> bool:
    if patterns.COURTESY.search(sentence) or patterns.OFFER.search(sentence):
        return False
    if _ASKING.search(sentence):
        return True
    if patterns.CONDITIONAL.search(sentence):
        return False
    if patterns.ASKS.search(sentence):
        return True
    return bool(patterns.UNMARKED_QUESTION.search(sentence)) and not _announces(sentence)


def _declines(sentence: str) -> bool:
    return not patterns.CONDITIONAL.search(sentence) and bool(patterns.DECLINES.search(sentence))


def _announces(sentence: str) -> bool:
    if _ASKING.search(sentence) or patterns.CONDITIONAL.search(sentence):
        return False
    return bool(patterns.ANNOUNCES.search(sentence))


def _states(sentence: str) -> bool:
    if patterns.TERSE_VALUE.search(sentence):
        return bool(patterns.VALUE.search(sentence))
    if (
        _ASKING.search(sentence)
        or patterns.NOT_STATED.search(sentence)
        or patterns.CONDITIONAL.search(sentence)
        or _announces(sentence)
    ):
        return False
    if patterns.STATUS.search(sentence):
        return True
    return bool(patterns.VALUE.search(sentence) and patterns.STATES.search(sentence))


def _offers(sentence: str) -> bool:
    return bool(patterns.OFFER.search(sentence)) and not patterns.COURTESY.search(sentence)


_ORDER = (
    (TextKind.ANSWERED_FROM_NOTHING, _claims),
    (TextKind.NEEDLESS_QUESTION, _asks),
    (TextKind.DECLINED, _declines),
    (TextKind.ANSWERED_FROM_NOTHING, _states),
    (TextKind.ANNOUNCED_CALL, _announces),
    (TextKind.NEEDLESS_QUESTION, _offers),
)
