"""The similarity measures that published rules depend on; each agrees with its reference to the last digit.

The references are Python's `difflib` and the package `rouge` 1.0.1 (summary level, its WildToolBench use). Longest
common subsequences are computed a row at a time on the bits of an integer (Hyyrö, "Bit-parallel LCS-length computation
revisited", 2004), without recursion.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from toolgauge.judge.reasons import DialogueCode

MAX_CELLS = 1 << 26
"""Words of one text times words of the other: above it (8,192 against 8,192) two texts count as different."""
MAX_CHARACTERS = 1 << 18
"""A text longer than this is not measured; see `comparable`."""

SHORT_TEXT = 10
"""Annotated texts below this length must also reach EDIT_MARK."""
EDIT_MARK = 0.8
ROUGE_MARK = 0.7

_CHINESE = re.compile("[\u4e00-\u9fd5]")
"""The characters that jieba looks up in its dictionary."""
_HAN = re.compile("[\u4e00-\u9fa5]")
"""The characters that make the published rule cut texts by jieba."""
_LATIN_WORDS = re.compile(r"(AT&T|[cC](?:#|\+\+))")
"""The only entries of jieba's dictionary without a Chinese character."""
_LATIN_PIECES = re.compile(r"[a-zA-Z0-9]+(?:\.[0-9]+)?%?|[+#&._%\-]+|\r\n|.", re.DOTALL)
_BLOCK = "\u4e00-\u9fd5a-zA-Z0-9+#&._%\\-"
_RUN = 1000
_BLOCKS = re.compile(f"[{_BLOCK}]{{1,{_RUN}}}|[^{_BLOCK}]+")


class Unlike(NamedTuple):
    """Why two texts are not alike. score: the measure that is too low, None where there is none."""

    code: DialogueCode
    score: float | None = None


def unlike(predicted: str, gold: str) -> Unlike | None:
    """Whether two unequal texts are alike by WildToolBench's measure: short ones letter by letter, and all of them word
    by word (docs/rules.md#wildtoolbenchs-rule). None where they are."""
    if len(gold) < SHORT_TEXT:
        longest = 2.0 * min(len(predicted), len(gold)) / (len(predicted) + len(gold))  # no ratio is higher
        score = longest if longest < 0.005 else SequenceMatcher(None, predicted, gold).ratio()
        if score < EDIT_MARK:
            return Unlike(DialogueCode.LETTERS_DIFFER, score)
    if not comparable(predicted, gold) or (_says(predicted) and _says(gold) and set(predicted).isdisjoint(gold)):
        return Unlike(DialogueCode.WORDS_DIFFER, 0.0)
    if _HAN.search(predicted) or _HAN.search(gold):
        predicted, gold = " ".join(segment(predicted)), " ".join(segment(gold))
    try:
        score = rouge_l_summary(predicted, gold)
    except ValueError:
        return Unlike(DialogueCode.WORDS_UNMEASURED)
    return Unlike(DialogueCode.WORDS_DIFFER, score) if score < ROUGE_MARK else None


def _says(text: str) -> bool:
    """Whether a text is anything but full stops and blanks, whose ROUGE-L the package cannot compute."""
    return bool(text.strip(". "))


def same_but_spacing(first: str, second: str) -> bool:
    """Whether two texts are equal without white space and case."""
    return "".join(first.split()).lower() == "".join(second.split()).lower()


def comparable(first: str, second: str) -> bool:
    """Whether both texts are short enough to be measured; a longer one, unless equal, counts as different."""
    return len(first) <= MAX_CHARACTERS and len(second) <= MAX_CHARACTERS


def rouge_l_summary(prediction: str, gold: str) -> float:
    """ROUGE-L F in [0, 1) of two texts as the package `rouge` 1.0.1 computes it (summary level, every word once).

    Sentences end at full stops, words at white space. The words found in order in a pair of sentences are gathered
    over all pairs; of several longest subsequences it is the package's choice whose words count. 0.0 above MAX_CELLS.
    Raises ValueError where the package raises: for a text that is empty or nothing but full stops.
    """
    predicted_sentences, gold_sentences = _sentences(prediction), _sentences(gold)
    if not predicted_sentences or not gold_sentences:
        raise ValueError("an empty text has no ROUGE-L")
    if _total(predicted_sentences) * _total(gold_sentences) > MAX_CELLS:
        return 0.0
    predicted_words = set(chain.from_iterable(predicted_sentences))
    gold_words = set(chain.from_iterable(gold_sentences))
    # Words that the annotated text lacks never change the choice: the walk back steps over them.
    common = predicted_words & gold_words
    candidates = {tuple(word for word in sentence if word in common) for sentence in predicted_sentences}
    words: set[str] = set()
    for sentence in gold_sentences:
        words |= _found_in(sentence, candidates, common.intersection(sentence) - words)
    precision, recall = len(words) / len(predicted_words), len(words) / len(gold_words)
    return 2.0 * ((precision * recall) / (precision + recall + 1e-8))


def segment(text: str) -> list[str]:
    """The words of a text as jieba's default mode cuts them; blanks and punctuation marks are words too.

    A text without Chinese is cut by the same rules without loading jieba (a second). A run of more than 1,000
    characters without blank or punctuation is cut there first, because jieba's time grows with the square of a run.
    """
    if _CHINESE.search(text) is None:
        return _segment_latin(text)
    cut = _jieba().lcut
    if len(text) <= _RUN:
        words: list[str] = cut(text)
        return words
    return [word for block in _BLOCKS.findall(text) for word in cut(block)]


def _segment_latin(text: str) -> list[str]:
    words: list[str] = []
    for number, piece in enumerate(_LATIN_WORDS.split(text)):
        if number % 2:
            words.append(piece)
        else:
            words += _LATIN_PIECES.findall(piece)
    return words


@cache
def _jieba() -> Any:
    """A tokenizer of our own: no log lines, and no cache file that anybody could plant in the temporary folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba 0.42.1 was written for older Pythons
        import jieba

        tokenizer = jieba.Tokenizer()
        with tokenizer.get_dict_file() as dictionary:
            tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)
    tokenizer.initialized = True
    return tokenizer


def _sentences(text: str) -> list[tuple[str, ...]]:
    """The different sentences of a text as words; a blank sentence has one word, the empty one."""
    return list(dict.fromkeys(tuple(piece.split()) or ("",) for piece in text.split(".") if piece))


def _total(sentences: list[tuple[str, ...]]) -> int:
    return sum(map(len, sentences))


def _found_in(sentence: tuple[str, ...], others: set[tuple[str, ...]], missing: set[str]) -> set[str]:
    """Words of an annotated sentence that its longest common subsequence with one of the others has.

    missing: the words worth a search; those found before and those that the others lack are not.
    """
    words: set[str] = set()
    for other in others:
        if not missing:
            break
        if not missing.isdisjoint(other):
            words |= _lcs_words(sentence, other)
            missing = missing - words
    return words


def _bit_masks(words: Sequence[str]) -> dict[str, int]:
    """Word -> integer whose bit j is set where words[j] is that word."""
    size = len(words) // 8 + 1
    masks: dict[str, bytearray] = {}
    for index, word in enumerate(words):
        mask = masks.get(word)
        if mask is None:
            mask = masks[word] = bytearray(size)
        mask[index >> 3] |= 1 << (index & 7)
    return {word: int.from_bytes(mask, "little") for word, mask in masks.items()}


def lcs_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence; the bits of `flat` stand for the shorter side."""
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    masks = _bit_masks(short)
    full = flat = (1 << len(short)) - 1
    for word in long:
        mask = masks.get(word)
        if mask is not None:
            hit = flat & mask
            flat = ((flat + hit) | (flat - hit)) & full
    return len(short) - flat.bit_count()


def _lcs_words(rows: tuple[str, ...], columns: tuple[str, ...]) -> set[str]:
    """The words of the longest common subsequence that the package `rouge` picks.

    It fills the table of lengths and walks back from the end: diagonally where the words are equal, else up where the
    length above is greater than the one to the left, else left. A zero bit j in steps[i] says that row i of the table
    grows from column j to j + 1; leftwards the walk therefore stops at the next growth or equal word.
    """
    masks = _bit_masks(columns)
    full = flat = (1 << len(columns)) - 1
    steps = []
    for word in rows:
        mask = masks.get(word)
        if mask is not None:
            hit = flat & mask
            flat = ((flat + hit) | (flat - hit)) & full
        steps.append((word, flat))
    words: set[str] = set()
    left = full  # the columns that the walk has not passed
    for word, step in reversed(steps):
        mask = masks.get(word, 0)
        column = (((full ^ step) | mask) & left).bit_length()
        if not column:
            break
        if mask >> (column - 1) & 1:
            words.add(word)
            column -= 1
        left = (1 << column) - 1
    return words
