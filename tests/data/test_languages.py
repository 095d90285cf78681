"""Chinese characters are told apart, and dates written as in the public data."""

from __future__ import annotations

import datetime

from toolgauge.languages import date_and_weekday, has_han


def test_han_is_told_apart() -> None:
    assert [has_han(text) for text in ("米", "a㐀b", "﨏", "café", "ひ", "，")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


def test_dates_are_written_as_in_the_public_data() -> None:
    moment = datetime.datetime(2024, 5, 3, 9, 12, 44)
    assert date_and_weekday(moment, "en") == "2024-05-03 09:12:44 Friday"
    assert date_and_weekday(moment, "zh") == "2024-05-03 09:12:44 星期五"
