"""Every kind of page of a site, by name, with an address of one of them; and what axe-core finds on a page."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

PHONE = (360, 780)
DESK = (1280, 900)
PARTS = ("summary", "failures", "breakdown", "cost", "setup")
_VIOLATIONS = """async () => (await axe.run(document, {resultTypes: ["violations"], preload: false})).violations
    .flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.html.slice(0, 160)}`))"""


def kinds(site: Path) -> dict[str, str]:
    """Name -> address below the root of a language."""
    run = next(path.stem for path in sorted((site / "runs").glob("mini-en-builtin*seed_1*-task.html")))
    run = run.removesuffix("-task")
    pairs = [path.stem.split("--") for path in sorted((site / "compare").glob(f"{run}--*.html"))]
    a, b = next(pair for pair in pairs if "noisy" in pair[1])
    found = {"front": "index.html", "board": "mini-en.html", "glossary": "glossary.html", "cite": "cite.html"}
    found |= {f"run-{part}": f"runs/{run}.html#{part}" for part in PARTS}
    found |= {
        "run-in-another-scoring": f"runs/{run}-in-released.html",
        "comparison": f"compare/{a}--{b}.html",
        "pairs": "compare/mini-en.html",
        "tasks": f"runs/{run}-tasks.html#result=failed",
        "task": f"runs/{run}-task.html#mini_1/3",
        "task-right": f"runs/{run}-task.html#mini_0/0",
        "two-runs-at-one-task": f"runs/{run}-task.html#mini_1/3&with={b}",
    }
    return found


def settled(page: Any) -> None:
    """Wait until a page shows what it loads."""
    page.wait_for_load_state("load")
    loaded = "#task:not([hidden]), #task-list:not([hidden])"
    page.wait_for_function(
        "(loaded) => !document.querySelector('#task, #task-list') || document.querySelector(loaded)", arg=loaded
    )


def violations(page: Any) -> list[str]:
    """Of what axe-core demands of a page as it stands."""
    pytest.importorskip("axe_playwright_python", reason="install with .[browser]")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(_VIOLATIONS)
    return found
