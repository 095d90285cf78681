"""The names of task types and references in the public data files, in both languages, read by their key words.

The Chinese names of WildToolBench's real file are unknown; MMTB has one-character codes. Anything that carries one of
the words below is understood.
"""

from __future__ import annotations

from functools import cache

from toolgauge.data.session import Reference, TaskType

MULTI = "multi"
"""A task type that says no more than "several tools"; the shape of the graph says which (MMTB's code)."""

_TYPE_WORDS: tuple[tuple[tuple[str, ...], TaskType | str], ...] = (
    (("clarif", "澄清", "反"), TaskType.CLARIFY),
    (("chat", "闲聊", "聊天", "拒"), TaskType.CHAT),
    (("single", "单"), TaskType.SINGLE_TOOL),
    (("mixed", "混合", "串并", "并串"), TaskType.MIXED_TOOLS),
    (("parallel", "并"), TaskType.PARALLEL_TOOLS),
    (("sequential", "serial", "串", "顺序"), TaskType.SEQUENTIAL_TOOLS),
    (("multi", "多"), MULTI),
)
_REFERENCE_WORDS: tuple[tuple[tuple[str, ...], Reference], ...] = (
    (("corefer", "implicit", "指代"), Reference.COREFERENCE),
    (("partial", "ellipsis", "省略", "部分"), Reference.PARTIAL_INFORMATION),
    (("long", "长"), Reference.LONG_RANGE),
    (("first", "首"), Reference.FIRST_TURN),
)


@cache
def read_type(name: str) -> TaskType | str | None:
    """The task type that a name means, MULTI where only the graph can tell, None where it says nothing to us."""
    return next((kind for words, kind in _TYPE_WORDS if _has(name, words)), None)


@cache
def read_reference(name: str) -> Reference | None:
    """The reference type that a name means, or None."""
    return next((kind for words, kind in _REFERENCE_WORDS if _has(name, words)), None)


def _has(name: str, words: tuple[str, ...]) -> bool:
    text = name.casefold()
    return any(word in text for word in words)
