"""Budgets: they stop a run, count what earlier goes spent, and may be raised later."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.playing import Player, call, command, go, lines, options, replies, results
from tests.mockserver import Json, completion, serve
from toolgauge.api import RunResult

SESSIONS = 4
CONCURRENCY = 4
TOKENS_EACH = 18  # what the mock endpoint counts for a request


def test_a_token_budget_stops_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    player, folder = Player(replies(limit=SESSIONS)), tmp_path / "run"
    with serve(player, latency=0.01) as server:

        def spend(most: int | None) -> RunResult:
            reached = options(server.base_url)
            return go(
                folder,
                "openai/mock",
                reached=reached,
                concurrency=CONCURRENCY,
                max_tokens_total=most,
                limit=SESSIONS,
            )

        first = spend(180)
        assert 180 <= first.tokens < 180 + CONCURRENCY * TOKENS_EACH
        assert first.outcome.stopped is not None
        assert "limits.max_tokens_total is 180" in str(first.outcome.stopped)
        assert first.metrics.missing == first.outcome.not_asked > 0
        asked = len(server.requests)
        again = spend(180)
        assert len(server.requests) == asked
        assert (again.tokens, again.outcome.done) == (first.tokens, 0)
        more = spend(400)
        assert 400 <= more.tokens < 400 + CONCURRENCY * TOKENS_EACH
        whole = spend(None)
    assert (whole.outcome.stopped, whole.outcome.missing) == (None, 0)
    assert whole.tokens == TOKENS_EACH * len(player.table)
    assert player.most_repeated == 1
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(folder) == results(tmp_path / "whole")


class Expensive(Player):
    """The player, with 100,000 tokens of input for every request."""

    def __call__(self, body: Json) -> Json:
        return completion(super().__call__(body)) | {"usage": {"prompt_tokens": 100_000, "completion_tokens": 0}}


def test_a_cost_budget_stops_the_command_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    player = Expensive(replies(limit=1))
    with serve(player) as server:
        arguments = command(
            "run", "mini", "-m", "azure/gpt-4o", "--base-url", server.base_url, "--set", "endpoint.api_key=k"
        )
        arguments += ["--out", "run", "--limit", "1", "--concurrency", "1"]
        code, _, err = call([*arguments, "--max-cost", "0.6"], tmp_path)
        assert code == 1
        assert "Stopped early: budget exhausted ($0.75 spent, --max-cost is $0.60)" in err
        known = len(server.requests)
        code, _, err = call([*arguments, "--max-cost", "0.6"], tmp_path)
        assert code == 1
        assert len(server.requests) == known, "no request, not even a test question, is left in the budget"
        code, out, err = call([*arguments, "--max-cost", "50"], tmp_path)
    assert code == 0, err
    assert "tokens, $" in out
    assert lines(tmp_path / "run" / "failures.jsonl") == []
    assert all(player.answered[key] == 1 for key in player.table)
