"""What we publish, read by those for whom it is: `datasets` and `huggingface_hub`.

`make publish-check` installs them and names their Python in TOOLGAUGE_PUBLISH_PYTHON.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import toolgauge
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.generation.hub_sessions import export_sessions
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest, Publication
from toolgauge.results import open_runs

PYTHON = Path(os.environ.get("TOOLGAUGE_PUBLISH_PYTHON", "/nowhere")).absolute()
FIXTURES = Path(__file__).parents[1] / "fixtures"
LOAD = """
import json, sys
from datasets import load_dataset
parts = {name: load_dataset(sys.argv[1], name, split="test") for name in ("tasks", "conversations", "rates")}
assert load_dataset(sys.argv[1], split="test").column_names == parts["tasks"].column_names
print(json.dumps({name: [part.num_rows, part[0]] for name, part in parts.items()}))
"""
SESSIONS = """
import json, sys
from datasets import load_dataset
found = {}
for name in ("sessions", "conversations"):
    (split,) = load_dataset(sys.argv[1], name).values()
    found[name] = list(split)
print(json.dumps(found))
"""
CARD = """
import sys
from huggingface_hub import DatasetCard
card = DatasetCard.load(sys.argv[1], ignore_metadata_errors=False)
print(card.data.license, card.data.language, [one["config_name"] for one in card.data.configs])
"""

pytestmark = pytest.mark.publish
needs_the_libraries = pytest.mark.skipif(not PYTHON.exists(), reason="no datasets; make publish-check")


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> ExportRequest:
    root = tmp_path_factory.mktemp("runs")
    toolgauge.run("mini", "builtin/noisy", out=root / "mini")
    toolgauge.run("mini", "builtin/noisy", out=root / "zh", language="zh", history="own", limit=4)
    toolgauge.run("acebench", "builtin/noisy", data=FIXTURES / "acebench", out=root / "ace")
    publication = Publication("lab", "https://example.org/runs")
    return ExportRequest.of(open_runs(sorted(root.iterdir())), publication=publication)


def asked(program: str, file: Path, home: Path) -> str:
    """What a program of the other environment prints; it asks no network."""
    done = subprocess.run(
        [PYTHON, "-c", program, file],
        env={"HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Ignoring part" not in done.stderr, "the library could not use all of the card"
    return done.stdout


@needs_the_libraries
def test_datasets_loads_every_part(wanted: ExportRequest, tmp_path: Path) -> None:
    card, *files = export(wanted, "hf", tmp_path / "hf").paths
    found = json.loads(asked(LOAD, card.parent, tmp_path / "home"))
    for file in files:
        lines = file.read_text("utf-8").splitlines()
        assert found[file.stem] == [len(lines), json.loads(lines[0])]


@needs_the_libraries
@pytest.mark.parametrize("source", ["embedded", "generated"])
def test_datasets_loads_sessions_as_they_were_written(source: str, tmp_path: Path) -> None:
    place = MINI_FILE if source == "embedded" else tmp_path / "made"
    if source == "generated":
        toolgauge.generate("builtin/oracle", paths="single,clarify", language="zh", out=place)
    card, *files = export_sessions(place, tmp_path / "hf", Publication()).paths
    found = json.loads(asked(SESSIONS, card.parent, tmp_path / "home"))
    for file in files[:2]:
        assert found[file.stem] == [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@needs_the_libraries
def test_the_hub_s_library_reads_the_card(wanted: ExportRequest, tmp_path: Path) -> None:
    card = export(wanted, "hf", tmp_path / "hf").paths[0]
    said = asked(CARD, card, tmp_path / "home")
    assert said == "unknown ['en', 'zh'] ['tasks', 'conversations', 'rates']\n"
