"""What a text says literally: dates, times, days, numbers in digits and words, negations, identifiers, operators."""

from __future__ import annotations

from tests.rows import rows
from toolgauge.judge.literals import LONGEST, Disagreement, disagreement, literals


@rows(
    ("text", "kind", "expected"),
    [
        ("on 2025-03-12, 2025/3/13 or 2025.3.14", "dates", "2025-3-12; 2025-3-13; 2025-3-14"),
        ("12th of March 2025 and Mar 13", "dates", "2025-3-12; -3-13"),
        ("March 12, 2025", "dates", "2025-3-12"),
        ("2025年3月12日和三月五号", "dates", "2025-3-12; -3-5"),
        ("9 am, 9:30 PM, 12 am, 12:15 p.m., 21:05, 7 o'clock", "times", "9:00; 21:30; 0:00; 12:15; 21:05; 7:00"),
        ("下午三点半、早上7点20分、凌晨12点、晚上9点、十二点", "times", "15:30; 7:20; 0:00; 21:00; 12:00"),
        ("3时间", "times", ""),
        ("三点十五分", "times", "3:15"),
        ("今晚8点，明晚9点", "times", "20:00; 21:00"),
        ("今晚8点，明晚9点，昨晚", "days", "today; tomorrow; yesterday; evening"),
        ("on 2025-02-31", "dates", "2025-02-31"),
        ("next Monday, tomorrow evening", "days", "monday; tomorrow; evening"),
        ("周三和星期天，后天", "days", "wednesday; sunday; in two days"),
        ("three, 3.50, 1,000 and -2", "numbers", "3; 3.5; 1000; -2"),
        ("three hundred and twenty-one", "numbers", "321"),
        ("twenty thousand five hundred; two million", "numbers", "20500; 2000000"),
        ("三百二十一，两千零五，三千五百万，二〇二五", "numbers", "321; 2005; 35000000; 2025"),
        ("one of them, a second, 一下, 十分重要, 千万不要, hundred", "numbers", ""),
        ("1 ticket", "numbers", ""),
        ("3，500和3,500", "numbers", "3; 500; 3500"),
        ("between twenty-one and forty two; Two Thousand and five", "numbers", "21; 42; 2005"),
        ("１２ cups", "numbers", "12"),
        ("五分和十分钟", "numbers", "5; 10"),
        ("5kg, the 13th", "numbers", "5; 13"),
        ("don't, cannot, never; no", "negations", "not; not; not; not"),
        ("不要、没有、别去", "negations", "not; not; not"),
        ("不错，能不能，特别，区别，差不多，未来，无锡", "negations", ""),
        ("10.0.0.1, bob@example.com, https://x.org/a?b=1", "identifiers", "10.0.0.1; bob@example.com; https://x.org/a?b=1"),
        ("/srv/a/x.txt, ~/.ssh, C:\\temp\\a, a/b/c", "identifiers", "/srv/a/x.txt; ~/.ssh; c:\\temp\\a; a/b/c"),
        ("See https://x.org/. It is report.txt.", "identifiers", "https://x.org; report.txt"),
        ("order_id, SH77535, 3D5, report.txt, and/or, e.g. done.", "identifiers", "order_id; sh77535; 3d5; report.txt"),
        ("a >= b, c != d, x=1, a*b, p || q, n -> m", "operators", ">=; !=; =; *; ||; ->"),
        ("check-in - now + later", "operators", "+"),
    ],
)  # fmt: skip
def test_what_a_text_says(text: str, kind: str, expected: str) -> None:
    assert "; ".join(getattr(literals(text), kind)) == expected


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert literals("a" * (LONGEST - 1) + " 7 8").numbers == ()
    assert literals("a" * (LONGEST - 2) + " 7 8").numbers == ("7",)
    long = "x" * LONGEST
    assert disagreement(f"{long} == 3", f"{long} != 4") is None


def test_of_code_every_word_counts() -> None:
    assert disagreement("select a from t;", "SELECT a FROM t") is None
    assert disagreement("select a from t", "select b from t") == Disagreement(
        "code", ("select", "a", "from", "t"), ("select", "b", "from", "t")
    )
    assert disagreement("def f(x): return x", "def f(y): return x") is not None
    assert disagreement("please select a seat", "please select the seat") is None


def test_the_first_kind_that_differs_is_told_with_both_sides() -> None:
    assert disagreement("not 3", "4") == Disagreement("numbers", ("3",), ("4",))
    assert disagreement("do not go", "go") == Disagreement("negations", ("not",), ())
    assert disagreement("on 3 May and 4 May", "on 4 May and 3 May") is not None, "the order counts"
