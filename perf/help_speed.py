"""`toolgauge --help` beside a bare typer program with as many commands and options.

    python perf/help_speed.py [--rounds 15]

Both are started as processes by this interpreter. Target: at most 1.4x.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from rounds import in_turns, show

TARGET = 1.4
OURS = "import sys; sys.argv[0] = 'toolgauge'; from toolgauge.cli.verbs import main; main()"


def bare_program() -> str:
    """A typer program with the commands and options of ours, which do nothing."""
    from typer.core import TyperGroup
    from typer.main import get_command

    from toolgauge.cli.main import app

    def of(group: TyperGroup, name: str) -> list[str]:
        lines = [f"{name} = typer.Typer(help={group.help!r}, pretty_exceptions_enable=False, add_completion=False)"]
        for number, (verb, command) in enumerate(group.commands.items()):
            if isinstance(command, TyperGroup):
                lines += [*of(command, f"{name}_{number}"), f"{name}.add_typer({name}_{number}, name={verb!r})"]
                continue
            options = [
                f"p{position}: Annotated[Optional[str], typer.Option({'--' + str(parameter.name)!r},"
                f" help={getattr(parameter, 'help', None)!r})] = None"
                for position, parameter in enumerate(command.params)
            ]
            lines += [f"@{name}.command({verb!r})", f"def {name}_{number}({', '.join(options)}) -> None:"]
            lines += [f"    {command.help!r}"]
        return lines

    group = get_command(app)
    assert isinstance(group, TyperGroup)
    header = ["from typing import Annotated, Optional", "import typer"]
    return "\n".join([*header, *of(group, "app"), "app()", ""])


def start(*command: str) -> None:
    here = os.environ | {"COLUMNS": "120"}
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=here)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(bare_program())
        times = in_turns(
            {
                "python -c pass": partial(start, "-c", "pass"),
                "bare typer program": partial(start, str(bare), "--help"),
                "toolgauge --help": partial(start, "-c", OURS, "--help"),
            },
            chosen.rounds,
        )
    show("--help", times, "bare typer program", TARGET)


if __name__ == "__main__":
    main()
