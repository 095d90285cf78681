"""Intact material that commands of the table read beside the hostile thing, made once per process."""

from __future__ import annotations

import contextlib
import io
import shutil
from pathlib import Path

import toolgauge
from tests.hostile.corpus import mcp_servers
from tests.hostile.corpus.item import Surroundings
from tests.logs.log_files import WEATHER, dialogue, written
from tests.original_format import wildtoolbench_lines
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.cli.main import app
from toolgauge.runs.store import read_trajectories

FIXTURES = Path(__file__).parent.parent / "fixtures"
ENGINE = "#!/bin/sh\necho 'no device'\nexit 3\n"
"""Stands for an installed engine, which ends at once."""

LOG_MAP = """id = "id"
messages = "messages | conversations"
tools = "tools"
message = {role = "role | from", text = "content | value", calls = "tool_calls[*].function"}
call = {name = "name", arguments = "arguments"}
"""


def make_samples(folder: Path) -> None:
    """Fill a folder with runs, a trial, a site, a generation, data and result files, an MCP server and an engine."""
    folder.mkdir()
    toolgauge.run("mini", "builtin/noisy?seed=3", limit=2, out=folder / "run")
    toolgauge.run("mini", "builtin/oracle", limit=2, out=folder / "perfect")
    toolgauge.make_site([folder / "run"], folder / "site")
    for name, file in (("wildtoolbench", "wildtoolbench_small"), ("mmtb", "mmtb_small")):
        shutil.copy(FIXTURES / f"{file}.jsonl", folder / f"{name}.jsonl")
    shutil.copy(FIXTURES / "openapi_library.yaml", folder / "openapi.yaml")
    shutil.copytree(FIXTURES / "acebench" / "data_all", folder / "acebench")
    written(folder / "log.jsonl", [{"id": "log-1", "messages": dialogue(), "tools": [WEATHER]}])
    (folder / "log-map.toml").write_text(LOG_MAP)
    correction = b'{"session": "nowhere", "pointer": "/note", "new": 1}\n'
    (folder / "corrections.jsonl").write_bytes(correction)
    newer = (
        (folder / "wildtoolbench.jsonl").read_bytes().replace(b'"english_env_info": "', b'"english_env_info": " ', 1)
    )
    (folder / "moved-new.jsonl").write_bytes(newer)
    for name, model in (("moved", "builtin/noisy"), ("moved-too", "builtin/oracle")):
        data = folder / "moved.jsonl"
        shutil.copy(folder / "wildtoolbench.jsonl", data)
        toolgauge.run("wildtoolbench", model, data=data, out=folder / name)
        data.unlink()
    dataset = load_dataset(folder / "wildtoolbench.jsonl")
    lines = wildtoolbench_lines(dataset, read_trajectories(folder / "moved"))
    (folder / "predictions.jsonl").write_text("".join(lines))
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        command = "tools trial mini -m builtin/keyword --limit 2 --distractors 1 --out"
        app([*command.split(), str(folder / "trial")], standalone_mode=False)
        command = "generate --demo --sample 2 --tasks 2 --out"
        app([*command.split(), str(folder / "generation")], standalone_mode=False)
        reviewed = folder / "generation" / "sessions.jsonl"
        command = f"generate --demo --paths chat --resume-from {reviewed} --out {folder / 'resumed'}"
        app(command.split(), standalone_mode=False)
    server = Surroundings(folder / "server.py", folder, folder, "")
    next(item for item in mcp_servers.items() if item.name == "mcp-newer").build(server)
    (folder / "bin").mkdir()
    (folder / "bin" / "vllm").write_text(ENGINE)
    (folder / "bin" / "vllm").chmod(0o755)
