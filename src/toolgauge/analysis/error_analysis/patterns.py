"""What the explanations of failed tasks have in common: the most frequent one, or the most frequent form of one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.reasons import GAP, Explanation, ReasonText, ReasonTexts
from toolgauge.visible import one_line

_LONGEST = 400
_VALUES = re.compile(r"""'(?:[^'\\]|\\.){0,400}'|"(?:[^"\\]|\\.){0,400}"|\[[^\[\]]*\]|(?<![\w.])-?\d+(?:\.\d+)?""")
_AT_TOOL = re.compile(r"^[^\s(:]{1,120}(?:\([^()]{0,200}\))?: (?=\S)")
"""The tool and the path of the argument before what is wrong with it."""
_LAST_GAP = re.compile(rf"[:：] ?{GAP}$")


class ReasonPattern(Struct, frozen=True):
    """text: an explanation in English, gaps ("…") for what differs; tasks: how many of the loss's tasks have it; code,
    values, place, also, counted: the same as data (`Explanation`)."""

    text: str
    tasks: int
    code: str = ""
    values: dict[str, str] = {}
    place: str = ""
    also: tuple[str, ...] = ()
    counted: bool = False

    def in_words(self, texts: ReasonTexts) -> str:
        """For readers of the texts' language, without a published evaluator's own words, and without a gap at the end,
        which tells nothing."""
        own = texts.get(self.code)
        plain = {**texts, self.code: ReasonText(own.meaning)} if own and own.meaning else texts
        said = Explanation(self.text, self.code, self.values, self.place, self.also, self.counted).in_words(plain)
        return _LAST_GAP.sub("", said)


def common_pattern(reasons: Sequence[Explanation], texts: ReasonTexts) -> ReasonPattern | None:
    """The explanation that at least half of the tasks share word by word, else their most frequent form; None without
    any. Explanations of different kinds differ. Of two that are equally frequent the first to occur. texts: the
    English ones.
    """
    lines = [(one_line(why.detail, _LONGEST), why.kind(texts)) for why in reasons]
    if not lines:
        return None
    (text, kind), tasks = Counter(lines).most_common(1)[0]
    usual = reasons[lines.index((text, kind))].cut(_LONGEST)
    if 2 * tasks < len(lines) or tasks == 1:
        forms = [form_of(why, texts) for why in reasons]
        keys = [(form.detail, form.kind(texts)) for form in forms]
        (text, kind), tasks = Counter(keys).most_common(1)[0]
        usual = forms[keys.index((text, kind))]
    return ReasonPattern(text, tasks, usual.code, usual.values, usual.place, usual.also, usual.counted)


def form_of(why: Explanation, texts: ReasonTexts) -> Explanation:
    """An explanation without the names and values it is about. Where nothing but a text is known, whatever looks like
    a name or a value is left out of that."""
    if why.code in texts:
        return why.form(texts)
    return Explanation(_VALUES.sub(GAP, _AT_TOOL.sub("", one_line(why.detail, _LONGEST))))
