"""The similarity measures: worked values of the reference packages, and comparisons where those are installed."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.judge.mmtb import rouge_l
from toolgauge.judge import similarity
from toolgauge.judge.similarity import rouge_l_summary, segment, unlike

TEN = "one two three four five six seven eight nine ten"

texts = st.one_of(
    st.text("ab .", max_size=30),
    st.text("abcde. \t\n", max_size=40),
    st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat", "mat.", ".", "1.5"]), max_size=20).map(" ".join),
    st.text("查北京明天的天气 ab.", max_size=30),
    st.text(max_size=20),
)


@rows(
    ("prediction", "gold", "expected"),
    [
        ("one two three four five six seven x y z", TEN, 0.699999995),
        ("one two three four five six seven eight y z", TEN, 0.7999999950000002),
        ("the the the cat sat", "the cat sat", 0.999999995),
        ("six seven eight nine ten one two three four five", TEN, 0.4999999950000001),
        ("100.20.30.41", "100.20.30.42", 0.749999995),
        ("https://example.com/a", "https://example.com/b", 0.4999999950000001),
        ("2024-07-13", "2024-07-14", 0.0),
        ("The Cat sat", "the cat sat", 0.3333333283333334),
        (" . a b", "a b", 0.7999999952000001),
        ("a b c. d e", "d e a. b c", 0.999999995),
        ("x a b. a c", "a b c a", 0.8571428522448981),
        ("帮 我查 一下 北京 明天 的 天气", "查 北京 明天 的 天气情况", 0.499999995138889),
    ],
)
def test_summary_values_of_the_package(prediction: str, gold: str, expected: float) -> None:
    assert rouge_l_summary(prediction, gold) == expected


@rows(("prediction", "gold"), [("", "a"), ("a", ""), ("...", "a"), ("a", "."), ("", "")])
def test_summary_of_an_empty_text_raises(prediction: str, gold: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        rouge_l_summary(prediction, gold)


@rows(
    ("prediction", "gold", "expected"),
    [
        ("2024-07-14", "2024-07-13", 0.8000000000000002),
        ("Las Vegas", "Chicago", 0.0),
        ("New York City", "New York", 0.7499999999999999),
        ("the cat sat on the mat", "the dog sat on a mat", 0.8181818181818182),
        ("a, b", "a,b c", 0.6666666666666665),
        ("best sushi in Tokyo", "sushi in Kyoto", 0.6666666666666666),
        ("查北京明天的天气情况", "帮我查一下北京明天的天气", 0.5),
        ("", "a", 0.0),
        ("a", "", 0.0),
    ],
)
def test_token_values_of_the_package(prediction: str, gold: str, expected: float) -> None:
    assert rouge_l(segment(gold), segment(prediction)) == expected


@settings(max_examples=sized(100, 500), deadline=None)
@given(texts, texts)
def test_summary_agrees_with_the_package(prediction: str, gold: str) -> None:
    package = pytest.importorskip("rouge").Rouge(metrics=["rouge-l"])
    try:
        expected = package.get_scores(prediction, gold)[0]["rouge-l"]["f"]
    except ValueError:
        with pytest.raises(ValueError, match="empty"):
            rouge_l_summary(prediction, gold)
    else:
        assert rouge_l_summary(prediction, gold) == expected


def test_summary_picks_the_package_s_words_in_every_small_case() -> None:
    """All pairs of texts of up to four words out of three, where subsequences of equal length compete."""
    package = pytest.importorskip("rouge").Rouge(metrics=["rouge-l"])
    short = [" ".join(words) for size in (1, 2, 3, 4) for words in product("abc", repeat=size)]
    for prediction in short:
        for gold in short[::5]:
            expected = package.get_scores(prediction, gold)[0]["rouge-l"]["f"]
            assert rouge_l_summary(prediction, gold) == expected, (prediction, gold)


@settings(max_examples=sized(100, 500), deadline=None)
@given(st.lists(st.sampled_from("abcd 北"), max_size=25), st.lists(st.sampled_from("abcd 北"), max_size=25))
def test_tokens_agree_with_the_package(target: list[str], prediction: list[str]) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer")

    class AsGiven:
        def tokenize(self, tokens: list[str]) -> list[str]:
            return tokens

    package = scorer.RougeScorer(["rougeL"], tokenizer=AsGiven())
    assert rouge_l(target, prediction) == package.score(target, prediction)["rougeL"].fmeasure


jieba_texts = st.one_of(
    st.text("abcCATt&#+.%-_ 019\r\n\t\"'/", max_size=30),
    st.text(st.characters(max_codepoint=127), max_size=30),
    st.text("aCAT&#+.% 1٣五é\r\n，。", max_size=25),
    st.text("我来到北京清华大学查明天的天气ABCab1.5%，。 +#&", max_size=25),
    st.text(max_size=15),
)


@settings(max_examples=sized(120, 600), deadline=None)
@given(jieba_texts)
def test_segments_are_those_of_jieba(text: str) -> None:
    assert segment(text) == _reference().lcut(text)


def _reference() -> Any:
    """jieba's own tokenizer with its own dictionary, loaded as the package does but without its cache file."""
    return similarity._jieba()


@rows(
    ("made", "gold", "expected"),
    [
        ("abcdx", "abcde", ("words_differ", 0.0)),  # 0.8 of the letters are enough
        ("abcxx", "abcde", ("letters_differ", 0.6)),
        ("abcdefgxyz", "abcdefghij", ("words_differ", 0.0)),  # ten letters are no short text
        ("abcdefxyz", "abcdefghi", ("letters_differ", 2 / 3)),
        ("a" * 999, "a", ("letters_differ", 0.002)),
        ("a b c x", "a b c d", None),
        ("one two", "three four", ("words_differ", 0.0)),
        ("one two.", "...........", ("words_unmeasured", None)),
        ("one two three", "4444444444444", ("words_differ", 0.0)),
        ("查一查北京的天气", "查一查北京的天气吧", None),
    ],
)
def test_why_texts_are_not_alike(made: str, gold: str, expected: tuple[str, float | None] | None) -> None:
    found = unlike(made, gold)
    assert (found and (found.code.value, found.score)) == (
        expected and (expected[0], expected[1] and pytest.approx(expected[1]))
    )


def test_long_runs_of_chinese_are_cut_first() -> None:
    """jieba's time grows with the square of a run; short texts are cut as jieba cuts them."""
    words = segment("天气" * 2000)
    assert "".join(words) == "天气" * 2000
    assert set(words) == {"天气"}


def test_long_texts_are_measured_without_recursion_and_up_to_a_limit() -> None:
    long = " ".join(f"w{number}" for number in range(3000))
    assert rouge_l_summary(long + " end", long) == pytest.approx(0.99983, abs=1e-5)
    assert rouge_l(long.split(), [*long.split(), "end"]) == pytest.approx(0.99983, abs=1e-5)
    huge = " ".join(f"w{number}" for number in range(9000))
    assert rouge_l_summary(huge, huge) == 0.0
    assert rouge_l(huge.split(), huge.split()) == 0.0
