"""`toolgauge generate` called in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from toolgauge.cli.main import app
from toolgauge.errors import ToolgaugeError


def invoke(*arguments: object) -> Result:
    """What the command came to, with a key that opens nothing."""
    environment = {"COLUMNS": "200", "OPENAI_API_KEY": "sk-none"}
    return CliRunner().invoke(app, ["generate", *map(str, arguments)], env=environment)


def refused(*arguments: object) -> str:
    """The error of a command that must not even begin."""
    result = invoke(*arguments)
    assert isinstance(result.exception, ToolgaugeError), result.output
    return str(result.exception)


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]
