"""Hostile ids, names, paths, replies and errors through the verbs: the bytes that reach a terminal, and a pipe."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import toolgauge
from tests.end_to_end.playing import KEY, environment, seen_in_a_terminal
from tests.mockserver import Server, serve, status
from tests.sizes import sized
from tests.warm.server import warm_toolgauge
from toolgauge.visible import BLANKS

PATH_EVIL = (
    "\x1b[35;7mSGR\x1b]0;TITLE\x07\x1b]52;c;QQ==\x07\x9b31mC1\x85\x7f\b\rBACK\nFORGED\tTAB \u202eRTL\u2066\u200f\u061c"
    "\u200b\u2028\u2029\ufeff\U000e0041 [red]m :smile:"
)
EVIL = PATH_EVIL + "[/red]\x1b]8;;http://evil.example\x1b\\LINK[link=http://evil.example]l[/link]"
OF_RICH = re.compile(rb"\x1b\[[\d;]*m|\x1b\[\?25[lh]|\r?\x1b\[2K|\r?\x1b\[1A")
"""Colours, and the cursor of a progress bar."""
FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs, data, tools and documents that say EVIL wherever they can say anything."""
    folder = tmp_path_factory.mktemp("hostile")
    make_run(folder / "run")
    make_run(folder / f"run {PATH_EVIL}")
    make_data(folder)
    make_tools(folder)
    return folder


def make_run(run: Path) -> None:
    toolgauge.run("mini", "builtin/noisy?seed=5&rate=1", out=run, limit=3)
    manifest = json.loads((run / "run.json").read_text())
    manifest["model"]["name"] = EVIL
    (run / "run.json").write_text(json.dumps(manifest))
    lines = [json.loads(line) for line in (run / "trajectories.jsonl").read_text().splitlines()]
    for line in lines:
        reply = line["steps"][-1]["reply"]
        reply["content"] = EVIL
        reply["tool_calls"] = [{"id": EVIL, "name": EVIL, "arguments": json.dumps({EVIL: EVIL})}]
    (run / "trajectories.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    toolgauge.score(run)


def make_data(folder: Path) -> None:
    """bad.jsonl, and one with a hostile name."""
    session = json.loads((FIXTURES / "mmtb_small.jsonl").read_text().splitlines()[0])
    evil = json.dumps(EVIL)[1:-1]
    bad = json.dumps(session).replace("find_plant", evil).replace("garden_a", evil)
    other = {**session, "id": EVIL, EVIL: EVIL, "type": [EVIL], "english_answer_list": {EVIL: EVIL}}
    (folder / "bad.jsonl").write_text(f"{bad}\n{json.dumps(other)}\n{json.dumps(EVIL)}\n")
    (folder / f"{PATH_EVIL}.jsonl").write_text(f"{bad}\n{bad}\n{{{EVIL}\n")


def make_tools(folder: Path) -> None:
    """tools.jsonl, full of mistakes, fine.jsonl without any, and an OpenAPI document."""
    (folder / "tools.jsonl").write_text(tool_list(EVIL, {EVIL: {"type": EVIL, "description": EVIL}}, [EVIL, 1]))
    (folder / "fine.jsonl").write_text(tool_list("ok", {EVIL: {"type": "string", "description": EVIL}}, [EVIL]))
    field = {"name": EVIL, "in": "query", "description": EVIL, "schema": {"type": "string", "pattern": EVIL}}
    get = {"operationId": EVIL, "summary": EVIL, "tags": [EVIL], "parameters": [field], "responses": {}}
    document = {"openapi": "3.1.0", "info": {"title": EVIL, "version": "1"}, "paths": {f"/a{EVIL}": {"get": get}}}
    (folder / "api.json").write_text(json.dumps(document))


def tool_list(name: str, properties: object, required: object) -> str:
    parameters = {"type": "object", "properties": properties, "required": required}
    tool = {"type": "function", "function": {"name": name, "description": EVIL, "parameters": parameters}}
    return json.dumps({"id": EVIL, "name": EVIL, "language": "en", "tools": [tool]}) + "\n"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Server]:
    """Answers with an error that says EVIL, whatever it is asked."""
    with serve(lambda _: {"content": EVIL}, tuple(status(400, EVIL) for _ in range(400))) as server:
        yield server


ASKING = ("--base-url", "{url}", "--set", f"endpoint.api_key={KEY}")
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "run": (
        "run",
        "mini",
        "-m",
        f"openai/{EVIL}",
        *ASKING,
        "--limit",
        "2",
        "--set",
        "endpoint.max_attempts=1",
        "--out",
        "out {evil}",
    ),
    "probe": ("probe", "-m", f"openai/{EVIL}", *ASKING),
    "score": ("score", "run"),
    "score, a path": ("score", "run {evil}"),
    "score, no path": ("score", "no run {evil}"),
    "compare": ("compare", "run", "run {evil}"),
    "analyse": ("analyse", "run", "run {evil}"),
    "report": ("report", "run {evil}", "--out", "site {evil}"),
    "export": ("export", "run {evil}", "--to", "csv"),
    "export, summary": ("export", "run", "--to", "markdown", "--out", "-"),
    "export, rows": ("export", "run", "--to", "latex", "--out", "-"),
    "export, unknown": ("export", "run", "--to", EVIL),
    "data check": ("data", "check", "bad.jsonl"),
    "data check, a path": ("data", "check", "{evil}.jsonl"),
    "data stats": ("data", "stats", "{evil}.jsonl"),
    "tools check": ("tools", "check", "tools.jsonl"),
    "tools list": ("tools", "list", "fine.jsonl"),
    "tools show": ("tools", "show", "fine.jsonl"),
    "tools show, unknown": ("tools", "show", "fine.jsonl", EVIL),
    "tools import": ("tools", "import", "openapi", "api.json", "--out", "made {evil}"),
    "tools import mcp": (
        *("tools", "import", "mcp", "--", sys.executable, "-c"),
        f"import sys; sys.stderr.write({'Error: ' + EVIL!r}); sys.exit(1)",
    ),
    "models": ("models", EVIL),
    "serve": ("serve", f"no/{EVIL}", "--engine", "vllm", "--print"),
    "usage": ("score", "run", "run", EVIL),
    "usage, an option": ("score", f"--{EVIL}"),
    "usage, a verb": (EVIL,),
    "a traceback": ("--debug", "score", "no run {evil}"),
}


LAYOUTS = {"a traceback": "\n\t"}
"""Tracebacks have the lines that they have."""
VARIABLES = environment() | {"TERM": "xterm-256color", "COLUMNS": "1000"}
"""So wide that no line is wrapped."""


def arguments(name: str, endpoint: Server) -> list[str]:
    filled = (part.replace("{url}", endpoint.base_url).replace("{evil}", PATH_EVIL) for part in COMMANDS[name])
    return [*warm_toolgauge(), *filled]


def in_a_terminal(command: list[str], folder: Path, **more: str) -> bytes:
    """The bytes that a wide terminal gets of a command."""
    return seen_in_a_terminal(command, folder, VARIABLES | more)[1]


def check_plain(text: str, layout: str = "\n") -> None:
    wrong = {char for char in text if not (char.isprintable() or char in layout or char in BLANKS)}
    assert not wrong, text
    if layout == "\n":
        assert not re.search(r"^\s*(FORGED|BACK)", text, re.MULTILINE), text


@pytest.mark.parametrize("name", list(COMMANDS)[:: sized(2, 1)])
def test_in_a_terminal(name: str, place: Path, endpoint: Server) -> None:
    seen = in_a_terminal(arguments(name, endpoint), place)
    assert seen.strip()
    assert b"\x1b[35;7m" not in seen
    plain = OF_RICH.sub(b"", seen).decode().replace("\r\n", "\n")
    check_plain(plain, LAYOUTS.get(name, "\n"))
    assert "Traceback" not in plain or name == "a traceback"


def test_what_an_engine_says_while_it_is_waited_for(tmp_path: Path) -> None:
    engine = tmp_path / "bin" / "vllm"
    engine.parent.mkdir()
    said = f"import sys, time; print({EVIL!r}, flush=True); time.sleep(2); sys.exit(3)"
    engine.write_text(f"#!{sys.executable}\n{said}\n", encoding="utf-8")
    engine.chmod(0o755)
    command = [*warm_toolgauge(), "serve", "Qwen/Qwen2.5-7B-Instruct", "--engine", "vllm"]
    command += ["--port", "0", "--log", "engine.log"]
    seen = in_a_terminal(command, tmp_path, PATH=f"{engine.parent}:{os.environ['PATH']}")
    assert b"\x1b[35;7m" not in seen
    plain = OF_RICH.sub(b"", seen).decode().replace("\r\n", "\n")
    check_plain(plain, "\n\r")  # the line that changes goes back to its beginning
    assert "FORGED" in plain
    assert "the engine exited with code 3" in plain
    check_plain((tmp_path / "engine.log").read_text(encoding="utf-8"), "\n ")  # its lines are its own
