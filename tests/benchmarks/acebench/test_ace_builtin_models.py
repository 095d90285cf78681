"""Players on ACEBench: the oracle is right but for the documented data errors, silence is wrong, noise is found out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.ace_expected import unanswerable, unreachable
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.benchmarks.acebench.numbers.trials import detected
from toolgauge.benchmarks.acebench.options import Style
from toolgauge.benchmarks.acebench.wrong import wrong_replies
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.judge.verdict import Score
from toolgauge.models.builtin.fault_injection import plan_mistakes
from toolgauge.models.builtin.models import noisy
from toolgauge.models.dialects.ace import strip_reasoning
from toolgauge.models.endings import Unfinished

DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()
PATIENT = [noisy(seed, 0.0) for seed in range(4)]


def oracle(request: Request) -> Reply:
    assert request.gold_hint is not None
    return request.gold_hint.reply


def silent(request: Request) -> Reply:
    return Reply("I would rather not say.") if request.role == "assistant" else oracle(request)


def scores(dataset: AceDataset, player, style: Style = "prompt") -> list[Score]:  # type: ignore[no-untyped-def]
    setup = Setup(options={"style": style})
    samples = BENCH.samples(dataset, setup)
    return [
        s for sample in samples for s in BENCH.scores(dataset, drive(BENCH.episode(dataset, sample, setup), player))
    ]


def wrong(scoring: str, found: list[Score]) -> set[str]:
    return {score.task_id for score in found if not score.scorings[scoring].correct}


@pytest.mark.parametrize("style", ["prompt", "native"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_oracle_passes_and_silence_fails_in_every_category(language: str, style: Style) -> None:
    dataset = BENCH.load(DATA, language)
    assert len(dataset.categories) == 17
    assert all(v.correct for s in scores(dataset, oracle, style) for v in s.scorings.values())
    assert not any(v.correct for s in scores(dataset, silent, style) for v in s.scorings.values())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_oracle_on_every_published_entry(shared: Path, language: str) -> None:
    dataset = BENCH.load(shared / "data" / "acebench" / "data_all", language)
    assert len(dataset.entries) == {"en": 1023, "zh": 1017}[language]
    found = scores(dataset, oracle)
    assert wrong("released", found) == unanswerable(language) | unreachable(language)
    assert wrong("exact", found) == unreachable(language)
    assert not any(v.correct for s in scores(dataset, silent) for v in s.scorings.values())


def planted_as_found(dataset: AceDataset) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for sample in BENCH.samples(dataset):
        entry = dataset.by_id[sample.key]
        if entry.kind.group == "agent":
            continue
        for error, reply in wrong_replies(entry):
            trajectory = drive(BENCH.episode(dataset, sample), lambda _, reply=reply: reply)  # type: ignore[misc]
            (score,) = BENCH.scores(dataset, trajectory)
            assert score.scorings["exact"].mistake == error, (entry.id, reply.content)
            kinds[error] += 1
    return kinds


def cut_short_as_found(dataset: AceDataset) -> Counter[str]:
    """Let each agent conversation end where its last call is due, as the noisy player may."""
    kinds: Counter[str] = Counter()
    for sample in BENCH.samples(dataset, Setup(options={"categories": ("agent",)})):
        planted: list[str] = []

        def play(request: Request, planted: list[str] = planted) -> Reply:
            mistakes = plan_mistakes(request)
            planted += [name for name, _ in mistakes]
            return mistakes[0][1] if mistakes else oracle(request)

        (score,) = BENCH.scores(dataset, drive(BENCH.episode(dataset, sample), play))
        if planted:
            assert [score.scorings["exact"].mistake] == planted, sample.key
            kinds.update(planted)
    return kinds


@pytest.mark.parametrize("language", ["en", "zh"])
def test_conversations_cut_short_are_found_as_what_they_are(language: str) -> None:
    assert cut_short_as_found(BENCH.load(DATA, language))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_published_conversations_cut_short_are_found_as_what_they_are(shared: Path, language: str) -> None:
    kinds = cut_short_as_found(BENCH.load(shared / "data" / "acebench" / "data_all", language))
    assert kinds["class attributes wrong"] >= 20


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_wrong_answer_is_found_as_what_it_is(language: str) -> None:
    assert len(planted_as_found(BENCH.load(DATA, language))) >= 9


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_wrong_answer_to_a_published_entry_is_found_as_what_it_is(shared: Path, language: str) -> None:
    kinds = planted_as_found(BENCH.load(shared / "data" / "acebench" / "data_all", language))
    assert len(kinds) == 10
    assert min(kinds.values()) >= 100


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_the_noisy_player_fails_exactly_where_it_planted_a_mistake(style: Style) -> None:
    """Never in a conversation of the agent categories: no single message makes one fail for sure."""
    dataset = BENCH.load(DATA, "en")
    setup = Setup(options={"style": style})
    for sample in BENCH.samples(dataset, setup):
        trajectory = drive(BENCH.episode(dataset, sample, setup), noisy(0, 1.0))
        (score,) = BENCH.scores(dataset, trajectory)
        planted = trajectory.replies[0].planted
        assert (planted is None) == (dataset.by_id[sample.key].kind.group == "agent")
        assert score.scorings["exact"].mistake == planted


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_without_mistakes_the_noisy_player_scores_what_the_oracle_scores(shared: Path, style: Style) -> None:
    """Also where it makes calls one by one that are due together."""
    dataset = BENCH.load(shared / "data" / "acebench" / "data_all", "en")
    setup = Setup(options={"style": style, "categories": ("agent",)})
    for sample in BENCH.samples(dataset, setup):
        played = [drive(BENCH.episode(dataset, sample, setup), player) for player in (oracle, *PATIENT)]
        right, *others = (next(BENCH.scores(dataset, one)).scorings for one in played)
        assert all(other == right for other in others), sample.key


@pytest.mark.parametrize("kind", list(Unfinished))
@pytest.mark.parametrize("style", ["prompt", "native"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_unfinished_replies_are_told_as_such(language: str, style: Style, kind: Unfinished) -> None:
    dataset = BENCH.load(DATA, language)
    setup = Setup(options={"style": style})
    for sample in BENCH.samples(dataset, setup):
        played = drive(BENCH.episode(dataset, sample, setup), noisy(0, 1.0, kind.value))
        (score,) = BENCH.scores(dataset, played)
        verdict = score.scorings["exact"]
        assert (verdict.label, verdict.mistake) == ("error", kind.value), sample.key
        assert score.scorings["released"].mistake not in set(Unfinished)
        ended = tuple(replace(step, reply=_finished(step.reply)) for step in played.steps)
        (plain,) = BENCH.scores(dataset, replace(played, steps=ended))
        assert plain.scorings["released"] == score.scorings["released"]
        assert (verdict.parameters or {})["otherwise"] == plain.scorings["exact"].mistake


def _finished(reply: Reply) -> Reply:
    """The same, as if its model had meant to end there."""
    content = None if reply.content is None else strip_reasoning(reply.content)
    return replace(reply, content=content, finish_reason="stop", reasoning=None)


def test_an_unfinished_reply_that_noticed_nothing_has_not_noticed() -> None:
    dataset = BENCH.load(DATA, "en")
    (sample, *_) = (one for one in BENCH.samples(dataset) if one.key.startswith("special"))
    cut = drive(BENCH.episode(dataset, sample), lambda _: Reply("The", finish_reason="length"))
    (score,) = BENCH.scores(dataset, cut)
    assert score.scorings["exact"].mistake == "truncated"
    assert detected([score.scorings["exact"]]) == 0.0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_noisy_player_gets_through_every_category(language: str) -> None:
    dataset = BENCH.load(DATA, language)
    found = scores(dataset, noisy(1, 1.0))
    assert {score.task_id for score in found} == set(dataset.by_id)
    singles = [score for score in found if dataset.by_id[score.task_id].kind.group != "agent"]
    assert not any(score.scorings["exact"].correct for score in singles)
