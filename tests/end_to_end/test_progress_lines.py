"""What is said of a run under way: without a terminal too, also while nothing ends, and of this go alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.playing import Player, call, command, replies, wait_until
from tests.mockserver import RESET, Fault, Json, rate_limited, serve, status
from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Usage
from toolgauge.cli import progress
from toolgauge.cli.progress import Bar, lasting, rate_text
from toolgauge.models.retry import RetryCause


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


def test_what_is_over_before_it_is_shown_is_not_taken_for_earlier(tmp_path: Path) -> None:
    arguments = command("run", "mini", "-m", "builtin/oracle", "--limit", 2, "--out", "run")
    said = "8 conversations of mini (en) for builtin/oracle{}\n"
    assert [call(arguments, tmp_path)[2] for _ in range(2)] == [said.format(""), said.format(", 8 already done")]


def test_what_was_not_asked_is_not_counted_as_failed() -> None:
    sample = Sample("a/0", "a", 0, 0)
    with Plain(8) as bar:
        bar.ended(sample, None)
        bar.interrupted()
        bar.ended(sample, None)
        assert (bar.done, bar.failed) == (1, 1)


def test_slow_replies_have_a_rate_per_minute() -> None:
    assert [rate_text(rate) for rate in (0.0, 0.05, 1.0, 240.25)] == ["0.0/min", "3.0/min", "1.0/s", "240.2/s"]


def test_times_are_said_as_people_do() -> None:
    assert [str(lasting(seconds)) for seconds in (0.4, 59.0, 61.0, 3540.0, 3599.0, 9000.0)] == [
        "0 s",
        "59 s",
        "1 min",
        "59 min",
        "1 h 0 min",
        "2 h 30 min",
    ]


def test_retries_are_collected_by_reason(tmp_path: Path) -> None:
    faults: dict[int, Fault] = {0: rate_limited(0.0), 1: status(503), 2: RESET, 3: status(500)}

    def fault(number: int, _body: Json) -> Fault | None:
        return faults.get(number)

    with serve(Player(replies(limit=1)), fault) as server:
        arguments = command("run", "mini", "--limit", 1, "--out", "run", "--set", "limits.probe=false", server=server)
        code, _, err = call([*arguments, "--concurrency", "1"], tmp_path)
    assert code == 0, err
    said = "Requests of this command: 4 retried (HTTP 5xx: 2, HTTP 429: 1, broken connections: 1)."
    assert said in err


def test_the_closing_line_does_not_mix_goes(tmp_path: Path) -> None:
    with serve(Player(replies(limit=2))) as server:
        arguments = command("run", "mini", "--limit", 2, "--out", "run", "--set", "limits.probe=false", server=server)
        code, out, err = call([*arguments, "--set", "limits.max_tokens_total=60"], tmp_path)
        assert code == 1, err
        first = next(line for line in out.splitlines() if line.endswith(" s") and " tokens, " in line)
        code, out, err = call(arguments, tmp_path)
    assert code == 0, err
    both = next(line for line in out.splitlines() if line.startswith("This command: "))
    now, _, together = both.removeprefix("This command: ").partition("; with earlier ones: ")
    counts = [int(part.split()[0].replace(",", "")) for part in (first, now, together)]
    assert counts[0] + counts[1] == counts[2]
    assert min(counts) > 0
