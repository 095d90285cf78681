"""The few words that judging needs, English and Chinese: negations, numerals, days, and how refusals begin.

Whatever else a text means is a question for a model, not for a list.
"""

from __future__ import annotations

import re

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without)\b|n['’]t\b"
    r"|(?<!差)不(?![错过同仅但久管论断])|没|无(?![锡线])|勿|未(?!来)|(?<![特分类性级区个识辨告])别(?![人的墅])"
)
CHOICE = re.compile(r"(.)不\1")
"""A question in Chinese (是不是, 能不能), which negates nothing."""


_NUMERALS = {
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen": range(15),
    "fifteen sixteen seventeen eighteen nineteen": range(15, 20),
    "twenty thirty forty fifty sixty seventy eighty ninety": range(20, 100, 10),
    "hundred thousand million billion": (100, 1000, 10**6, 10**9),
    "first second third fourth fifth sixth seventh eighth ninth tenth": range(1, 11),
    "零 一 二 三 四 五 六 七 八 九 十 百 千 万 亿": (*range(11), 100, 1000, 10**4, 10**8),
    "〇 两": (0, 2),
}
NUMERALS = {
    word: value for words, values in _NUMERALS.items() for word, value in zip(words.split(), values, strict=True)
}
UNCOUNTED = frozenset({"one", "first", "second", "一", "hundred", "thousand", "百", "千", "万", "亿", "千万", "十分"})
"""Alone these are mostly no numbers: "one of them", "a second", 一下, 千万不要, 十分重要."""

_DAYS = {
    "monday": "monday 周一 星期一", "tuesday": "tuesday 周二 星期二", "wednesday": "wednesday 周三 星期三",
    "thursday": "thursday 周四 星期四", "friday": "friday 周五 星期五", "saturday": "saturday 周六 星期六",
    "sunday": "sunday 周日 周天 星期日 星期天", "today": "today 今天 今日", "tonight": "tonight",
    "tomorrow": "tomorrow 明天 明日", "yesterday": "yesterday 昨天 昨日", "in two days": "后天",
    "two days ago": "前天", "morning": "morning 早上 早晨 上午", "noon": "noon 中午", "afternoon": "afternoon 下午",
    "evening": "evening night 傍晚 晚上",
}  # fmt: skip
DAYS = {word: name for name, words in _DAYS.items() for word in words.split()}
"""Days and their parts, each spelling to one name."""

REFUSAL = re.compile(
    r"\b(?:sorry|unfortunately|apologi[sz]e|as an ai|i (?:can(?:'t|not| not)|am (?:not able|unable)|do(?:n't| not) have"
    r"|won't|couldn't|wasn't able)|i'm (?:not able|unable|afraid)|(?:is|are)(?:n't| not) (?:possible|available)"
    r"|not able to|unable to)\b"
    r"|抱歉|对不起|不好意思|很遗憾|遗憾的是|无法|不能|没办法|没有办法|没法|没有(?:权限|能力|相关|合适|可用)|做不到|帮不了|不支持",
    re.IGNORECASE,
)
