"""One and many: English has two forms, Chinese one; templates and scripts of the site choose like Python."""

from __future__ import annotations

import pytest

from toolgauge.locale import ngettext, translated
from toolgauge.report.wording import script_messages


@pytest.mark.parametrize(("count", "said"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1_000, "1,000 runs")])
def test_the_count_decides(count: int, said: str) -> None:
    text = ngettext("{count:,} run", "{count:,} runs", count=count)
    assert str(text) == said
    assert translated(text, "zh") == f"{count:,} 次运行"
    assert str(text.mapped(str.upper)) == said


def test_the_count_may_come_later() -> None:
    text = ngettext("{count:,} run of {name}", "{count:,} runs of {name}", name="a")
    assert str(text.filled(count=1)) == "1 run of a"
    assert str(text.filled(count=2)) == "2 runs of a"


def test_scripts_have_what_is_said_of_many() -> None:
    said = script_messages(["drawer"], "zh")
    assert said["{count} attempts"] == "请求 {count} 次"
    assert "{count} attempts" not in script_messages(["drawer"], "en")
