"""What is said of a run under way: without a terminal too, also while nothing ends, and of this go alone."""

from __future__ import annotations

import pytest

from tests.end_to_end.playing import wait_until
from toolgauge.chat import Reply, Usage
from toolgauge.cli import progress
from toolgauge.cli.progress import Bar
from toolgauge.models.failures import RetryCause


class Plain(Bar):
    """A bar without words of its own."""

    def opening(self) -> str:
        return "begins"

    def name(self) -> str:
        return "it"


def test_a_line_comes_while_nothing_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    said = ""

    def comes(words: str) -> bool:
        nonlocal said
        said += capsys.readouterr().err
        return words in said

    with Plain(8) as bar:
        bar.begin(2)
        bar.show()
        wait_until(lambda: comes("2/8 after 0 s: 0 replies (0.0/min)\n"))
        bar.replied("a", "assistant", Reply(usage=Usage(90, 10)))
        for cause in (RetryCause.TIMEOUT, RetryCause.TIMEOUT, RetryCause.BUSY):
            bar.retrying("m", cause)
        wait_until(lambda: comes("), 100 tokens, 3 retried (time-outs: 2, HTTP 429: 1)\n"))
    assert comes("Requests of this command: 3 retried (time-outs: 2, HTTP 429: 1).\n")
    bar._timer.join(60)
    assert not bar._timer.is_alive()
