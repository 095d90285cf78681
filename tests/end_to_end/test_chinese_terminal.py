"""What the verbs say in a Chinese terminal, beside what they say in an English one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.end_to_end.playing import KEY
from tests.mockserver import Fault, serve, status
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.benchmarks.acebench.data.statistics import ace_sections
from toolgauge.benchmarks.catalogue import CATALOGUE
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.data.statistics import sections, statistics
from toolgauge.cli.language import local
from toolgauge.cli.main import app
from toolgauge.locale import Text
from toolgauge.models.provider_table import PROVIDERS

FIXTURES = Path(__file__).parent.parent / "fixtures"
ACE = FIXTURES / "acebench" / "data_all"
SMALL = FIXTURES / "mmtb_small.jsonl"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENGLISH = re.compile(r"(?<!-)\b[A-Za-z]?[a-z]+,? [a-z]{2,}")
"""Two words of an English sentence."""
FAILING = tuple(status(400, "broken") for _ in range(12))

SAID: dict[str, tuple[str, ...]] = {
    "data list": ("our own small benchmark, English and", "to be fetched", str(CATALOGUE["mmtb"].about)),
    "models": ("built in, no network", "(not set)", "Any OpenAI-compatible server: -m openai/<model>"),
    f"data stats {SMALL}": ("Parameter types of distinct tools", "12 (4 per session)", "\npartial_information "),
    f"data stats {ACE}": ("Milestones (first alternative)", "24 (published: 823)", "14 of 28"),
    f"data check {SMALL}": (f"{SMALL}: no problems",),
    "data check {bad}": ("2 problems", "the line must be an object, not a whole number"),
    "probe -m builtin/oracle": ("builtin/oracle: answers, makes a valid tool call and takes the result back (",),
    "probe -m openai/mock": (
        "openai/mock: answers, but its prompt is the same with and without the tool",
        "it said: “Rain.”",
        "Suggestion: use --dialect generic, or serve it",
    ),
    "run mini --limit 1 --max-tokens-total 1 --no-probe -m openai/mock": (
        "Stopped early: the budget is spent (18 tokens used, --max-tokens-total is 1). The same command",
    ),
    "run mini --limit 3 --max-attempts 1 --no-probe -m openai/mock": (
        "Stopped early: 10 conversations in a row failed, the last because: ",
    ),
}
"""Commands, and parts of what they say in English; {bad}: a file with two problems."""


def said(command: str, language: str, folder: Path, patch: pytest.MonkeyPatch) -> str:
    """All that a command says."""
    for name, value in (("LANG", language), ("CACHE", str(folder / "cache"))):
        patch.setenv(f"TOOLGAUGE_{name}", value)
    patch.setenv("COLUMNS", "160")
    patch.delenv("OPENAI_API_KEY", raising=False)
    patch.chdir(folder)
    (folder / "bad.jsonl").write_text("oops\n7\n")
    faults: tuple[Fault, ...] = FAILING if "--max-attempts" in command else ()
    with serve(lambda _: {"content": "Rain."}, faults) as server:
        arguments = command.format(bad="bad.jsonl").split()
        if "openai/mock" in command:
            arguments += ["--base-url", server.base_url, "--api-key", KEY]
        if command.startswith("run"):
            arguments += ["--out", language, "--concurrency", "1"]
        return CliRunner().invoke(app, arguments).output


@pytest.mark.parametrize("command", SAID)
def test_a_verb_speaks_the_terminals_language(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    english = said(command, "en", tmp_path, monkeypatch)
    assert not CHINESE.search(english)
    chinese = said(command, "zh", tmp_path, monkeypatch)
    assert CHINESE.search(chinese)
    for part in SAID[command]:
        assert part in english
        assert part not in chinese
    assert [line for line in chinese.splitlines() if ENGLISH.search(line)] == []


def test_every_name_in_a_table_has_its_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGAUGE_LANG", "zh")
    tables = [*sections(statistics(load_dataset(SMALL, None, "en"))), *ace_sections(load_acebench(ACE, "en"))]
    names = [name for table in tables for name in (table.title, *table.header) if isinstance(name, Text)]
    abouts = [source.about for source in CATALOGUE.values()] + [provider.title for provider in PROVIDERS.values()]
    assert len(names) > 20
    for said in (*names, *abouts):
        assert CHINESE.search(local(said)), said
