"""A dialogue keeps to its language: no Chinese characters in an English one, no foreign sentences in a Chinese one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue, Entry, Speaker
from toolgauge.annotation.grounding.values import leaves
from toolgauge.data.session import Session
from toolgauge.generation.filters.filter import against
from toolgauge.languages import HAN

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
_OTHER = re.compile(r"[\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af]")
"""Letters of neither language: Greek, Cyrillic, Arabic, Indian scripts, kana, Hangul."""
_CODE = re.compile(r"```.*?```|`[^`]*`|https?://\S+|\S{1,64}@\S+|[\w-]{0,100}[_\d./:-][\w./:-]*", re.DOTALL)
_WORD = re.compile(r"(?<![A-Za-z])[a-z]{2,}(?:['’][a-z]+)?(?![A-Za-z])")
"""Of Latin words only those in lower case: names begin with a capital."""
FREE_WORDS = 3
"""Foreign words that are tolerated in a text."""
SHARE = 0.5
"""Foreign words per Chinese character from which on a text is not Chinese any more."""


def impure(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Finds messages, thoughts, calls and results in another language than the dialogue's."""
    known = _vocabulary(session)
    for number, entry in enumerate(dialogue.kept):
        if entry.task < dialogue.earlier:
            continue
        for part, text in _texts(entry):
            found = _foreign_to_english(text) if dialogue.language == "en" else _foreign_to_chinese(text, known)
            if found:
                yield against(session.tasks[entry.task], entry=number, path=part, value=found[:80])


def _texts(entry: Entry) -> Iterator[tuple[str, str]]:
    """What an entry says, part by part; values of calls and results count in English, where no name needs them."""
    if entry.speaker in (Speaker.USER, Speaker.AGENT):
        yield entry.speaker.value, entry.text
    if entry.decision is not None:
        yield from (("thought", entry.decision.thought), ("plan", entry.decision.plan))


def _foreign_to_english(text: str) -> str:
    found = _CJK.search(text) or _OTHER.search(text)
    return found[0] if found else ""


def _foreign_to_chinese(text: str, known: frozenset[str]) -> str:
    if found := _OTHER.search(text):
        return found[0]
    words = [word for word in _WORD.findall(_CODE.sub(" ", text)) if word not in known]
    characters = len(HAN.findall(text))
    return " ".join(words) if len(words) > max(FREE_WORDS, SHARE * characters) else ""


def _vocabulary(session: Session) -> frozenset[str]:
    """Words of the tools, calls and results, which messages about these may contain."""
    texts = [tool.name for tool in session.tools]
    for tool in session.tools:
        properties = tool.parameters.get("properties")
        texts += properties if isinstance(properties, dict) else ()
    for task in session.tasks:
        for call in task.calls:
            texts += [str(value) for source in (call.arguments, call.observation) for _, value in leaves(source)
                      if call.is_tool]  # fmt: skip
    return frozenset(
        word for text in texts for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    )
