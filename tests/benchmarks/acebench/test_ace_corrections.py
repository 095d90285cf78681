"""Corrections of ACEBench's entries, and those of the published data that come with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolgauge
from tests.sizes import sized
from toolgauge.benchmarks.acebench.benchmark import KNOWN_CORRECTIONS
from toolgauge.benchmarks.acebench.data.check import answer_faults, question_faults
from toolgauge.benchmarks.acebench.data.load import ace_records, load_acebench
from toolgauge.benchmarks.acebench.data.published import known_errors
from toolgauge.data.corrections import check, read_corrections
from toolgauge.errors import DataError

DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
REPAIRED = {
    "en": {f"agent_multi_turn_{n}" for n in range(8, 16)} | {f"agent_multi_step_{n}" for n in (0, 1, 4, 5, 14, 15, 17)},
    "zh": {f"agent_multi_step_{n}" for n in (14, 15, 16, 17)},
}
"""Entries whose milestones lead to the annotated state once they are corrected."""


@pytest.mark.shared
def test_all_known_corrections_fit_the_published_data(shared: Path) -> None:
    folder, corrections = shared / "data" / "acebench" / "data_all", read_corrections(KNOWN_CORRECTIONS)
    check(ace_records(folder), corrections)
    for language in ("en", "zh"):
        mine = corrections.of(language)
        before, after = load_acebench(folder, language), load_acebench(folder, language, corrections=mine)
        assert after.sha256 == before.sha256
        changed = {one.id for one, other in zip(before.entries, after.entries, strict=True) if one != other}
        assert changed == mine.by_session.keys()
        for entry in changed - {"agent_multi_step_0", "agent_multi_step_1"}:  # which misspell a class besides
            assert not [*question_faults(after.by_id[entry]), *answer_faults(after.by_id[entry])]


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_the_perfect_agent_passes_what_is_corrected(language: str, shared: Path, tmp_path: Path) -> None:
    ids = sorted({session for side, session in known_errors() if side == language and "agent" in session})
    right = {}
    for name in ("plain", "known"):
        toolgauge.run(
            "acebench",
            "builtin/oracle",
            data=shared / "data" / "acebench",
            language=language,
            ids=ids,
            corrections="known" if name == "known" else None,
            out=tmp_path / name,
        )
        lines = map(json.loads, (tmp_path / name / "scores.jsonl").read_text("utf-8").splitlines())
        right[name] = {one["task_id"] for one in lines if one["scorings"]["exact"]["label"] == "correct"}
    assert right["known"] - right["plain"] == REPAIRED[language]
    assert not right["plain"] - right["known"]


def test_a_pointer_goes_into_both_lines_of_an_entry(tmp_path: Path) -> None:
    entry = load_acebench(DATA, "en").entries[0]
    (name, arguments), *_others = entry.answers[0].items()
    key, value = next(iter(arguments.items()))
    file = tmp_path / "c.jsonl"
    lines = (
        {
            "session": entry.id,
            "pointer": "/question",
            "old": entry.question,
            "new": "user: What?",
            "language": "en",
        },
        {"session": entry.id, "pointer": f"/ground_truth/{name}/{key}", "old": value, "new": "x", "language": "en"},
    )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    made = load_acebench(DATA, "en", corrections=read_corrections(file)).by_id[entry.id]
    assert (made.question, made.answers[0][name][key]) == ("user: What?", "x")
    assert (made.line, made.answer_line) == (entry.line, entry.answer_line)
    file.write_text(json.dumps(lines[0] | {"new": 7}) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"c.jsonl:1: /question: .* invalid after this correction: .*must be a string"):
        load_acebench(DATA, "en", corrections=read_corrections(file))


def test_an_answer_that_is_corrected_is_judged_anew_and_a_question_is_asked_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    toolgauge.run("acebench", "builtin/oracle", data=DATA.parent, ids=["normal_atom_bool_0"], out=run)
    entry = load_acebench(DATA, "en").by_id["normal_atom_bool_0"]
    (name, arguments), *_others = entry.answers[0].items()
    key, value = next(iter(arguments.items()))
    answer = {"session": entry.id, "pointer": f"/ground_truth/{name}/{key}", "old": value, "new": "?", "language": "en"}
    question = {"session": entry.id, "pointer": "/question", "old": entry.question, "new": "?", "language": "en"}
    for line, scored in ((answer, 1), (question, 0)):
        file = tmp_path / "c.jsonl"
        file.write_text(json.dumps(line) + "\n", encoding="utf-8")
        metrics = toolgauge.score(run, corrections=file)
        assert (metrics.scored, metrics.missing) == (scored, 1 - scored)
