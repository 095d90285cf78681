"""What the two languages of the data look like: Chinese characters, words, and dates with their weekday."""

from __future__ import annotations

import datetime
import re
from itertools import pairwise

HAN_CHARACTERS = r"\u3400-\u9fff\uf900-\ufaff"
"""Chinese characters, for a set in a pattern. The published argument rules have ranges of their own, in judge/."""
HAN = re.compile(f"[{HAN_CHARACTERS}]")
WORD = re.compile(r"[^\W_]+")
WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}


def text_words(text: str) -> frozenset[str]:
    """The words of a text, in small letters; of Chinese, its pairs of characters."""
    pairs = {first + second for first, second in pairwise(HAN.findall(text))}
    return frozenset(word.lower() for word in WORD.findall(HAN.sub(" ", text))) | pairs


def has_han(text: str) -> bool:
    """Whether there is a Chinese character in a text."""
    return HAN.search(text) is not None


def date_and_weekday(moment: datetime.datetime, language: str) -> str:
    """As the public data write it: "2024-05-03 09:12:44 Friday", "2024-05-03 09:12:44 星期五"."""
    return f"{moment:%Y-%m-%d %H:%M:%S} {WEEKDAYS[language][moment.weekday()]}"
