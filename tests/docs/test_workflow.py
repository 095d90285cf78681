"""The workflow of docs/results.md does what it says, as far as its shell goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.docs.pages import ROOT, Command, blocks
from tests.docs.stage import stage

PAGE = ROOT / "docs" / "results.md"
INSTALLS = "pip install toolgauge"


def steps() -> list[dict[str, Any]]:
    (block,) = (block for block in blocks(PAGE) if block.language == "yaml")
    (job,) = yaml.safe_load(block.text)["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


@pytest.mark.parametrize(("model", "codes"), [("openai/gpt-5-mini", [0, 1]), ("builtin/oracle", [0, 0])])
def test_the_gate_of_the_workflow_stops_a_model_that_is_not_good_enough(
    model: str, codes: list[int], tmp_path: Path
) -> None:
    """The endpoint answers in words and never calls a tool; a server of this machine has no known prices."""
    shell = [step["run"].strip() for step in steps() if "run" in step]
    assert shell[0] == INSTALLS
    assert {key for step in steps() for key in step} <= {"uses", "run", "env", "with", "if", "name"}
    assert all(value.startswith("${{ secrets.") for step in steps() for value in step.get("env", {}).values())
    with stage(tmp_path) as here:
        done = [
            here.run(Command(text.replace("openai/gpt-5-mini", model).replace("--max-cost 2", ""), "", 0))
            for text in shell[1:]
        ]
        assert [code for code, _output in done] == codes, done
        report = ElementTree.fromstring((here.folder / "gate.xml").read_bytes())
    assert report.get("failures") == str(sum(codes))
