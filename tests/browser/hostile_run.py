"""A run in which everything that a model or a data file can say tries to become more than text."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from toolgauge.api import run, score
from toolgauge.runs.store import TRAJECTORIES

MODEL = '<script>window.pwned=1</script>"><img src=x onerror="window.pwned=2">{{7*7}}${7*7}\u202egnp.exe'
TEXTS = (
    "<script>window.pwned=3</script>",
    '"><img src=x onerror=window.pwned=4>',
    "</script><script>window.pwned=5</script>",
    "<style>*{display:none!important}</style><svg onload=window.pwned=6>",
    "{{constructor.constructor('window.pwned=7')()}} ${window.pwned=8} <%= 7*7 %>",
    "javascript:window.pwned=9",
    "\u202e\u2066drowkcab\u2069 \u200f\u061c end",
    "word" * 250_000,
    "\u2028\u2029\x00\x07\ud800 lone",
    "<!--<script>",
)


def hostile_run(folder: Path) -> Path:
    """A scored run of the embedded benchmark, each conversation's replies replaced by one of the texts."""
    made = run("mini", "builtin/noisy?seed=5&rate=1", limit=5, out=folder).folder
    lines = (made / TRAJECTORIES).read_bytes().splitlines()
    changed = [_poisoned(json.loads(line), TEXTS[number % len(TEXTS)]) for number, line in enumerate(lines)]
    (made / TRAJECTORIES).write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    manifest = json.loads((made / "run.json").read_text(encoding="utf-8"))
    manifest["model"]["name"] = MODEL
    (made / "run.json").write_bytes(msgspec.json.encode(manifest))
    score(made)
    return made


def _poisoned(line: dict[str, object], text: str) -> dict[str, object]:
    for step in line["steps"]:  # type: ignore[attr-defined]
        reply = step["reply"]
        reply["content"] = text
        reply["reasoning"] = text[:1000]
        for call in reply.get("tool_calls", []):
            call["arguments"] = json.dumps({text[:300]: text, "city": [text[:50]]})
            if len(text) % 2:
                call["name"] = text[:200]
    return line
