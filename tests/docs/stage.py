"""Where the pages' commands are carried out: an empty folder, and everything outside it played by this process.

What a page says           what it gets here
-----------------------    ---------------------------------------------------------------------------------------
openai/..., azure/...      a server on the loopback that answers the probe's question with a call, else in words
http://localhost:8000/v1   the same server
public data sets           the files of tests/fixtures, served on the loopback and fetched by the real code, which is
                           told their checksums instead of those of the public files
result files               one in each original project's format, in the folder
make ...                   `make -n ...` in the project: says what it would do
the commands in ELSEWHERE  are left out, since the Makefile carries out the same
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from pages import ROOT, Command

from mockserver import serve
from original_format import mmtb_lines, wildtoolbench_lines
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.catalogue import CATALOGUE, DataSource, RemoteFile
from toolgauge.data.fetch import blob_id
from toolgauge.episode import drive
from toolgauge.models.players import oracle

FIXTURES = ROOT / "tests" / "fixtures"
SERVER = "http://localhost:8000/v1"
ELSEWHERE = frozenset({"python3 -m pip install .", "source .venv/bin/activate"})
ROLLOUT = "gpt4o1_en"
"""The one of MMTB's prediction files that is there to be fetched."""

_TOOLGAUGE = """#!{python}
import msgspec
from toolgauge.data.catalogue import CATALOGUE, DataSource
CATALOGUE.update(msgspec.json.decode({catalogue!r}, type=dict[str, DataSource]))
from toolgauge.cli.main import main
main()
"""
"""The command line with stand-ins for the public data sets."""


class Stage:
    """A folder and an environment in which commands run one after the other.

    catalogue: the public data sets' stand-ins, for examples that run in this process.
    """

    def __init__(
        self, folder: Path, environment: dict[str, str], server: str, catalogue: dict[str, DataSource]
    ) -> None:
        self.folder, self.environment, self.server, self.catalogue = folder, environment, server, catalogue

    def run(self, command: Command) -> tuple[int, str]:
        """Exit code and output (both streams as they come) of one command."""
        text = command.text.replace(SERVER, self.server)
        if text in ELSEWHERE:
            return 0, command.output
        if text.startswith("export "):
            name, _, value = text.removeprefix("export ").partition("=")
            self.environment.setdefault(name, value)  # addresses and keys stay this server's
            return 0, ""
        place = self.folder
        if text.startswith("make"):
            text, place = f"make -n {text.removeprefix('make')}", ROOT
        done = subprocess.run(
            ["bash", "-c", text],
            cwd=place,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout.decode()


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """A fresh stage; servers stop with it."""
    here, public = folder / "here", folder / "public"
    here.mkdir()
    catalogue = _publish(public)
    _result_files(here)
    command = folder / "bin" / "toolgauge"
    command.parent.mkdir()
    command.write_text(_TOOLGAUGE.format(python=sys.executable, catalogue=msgspec.json.encode(catalogue)))
    command.chmod(0o755)
    with serve(_answer) as endpoint, _web(public) as address:
        yield Stage(here, _environment(folder, endpoint.base_url, address), endpoint.base_url, catalogue)


def _environment(folder: Path, endpoint: str, data: str) -> dict[str, str]:
    return {
        "PATH": os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "80",
        "TOOLGAUGE_LANG": "en",
        "TOOLGAUGE_CACHE": str(folder / "cache"),
        "TOOLGAUGE_RAW_BASE": data,
        "OPENAI_BASE_URL": endpoint,
        "OPENAI_API_KEY": "sk-none",
        "AZURE_OPENAI_ENDPOINT": endpoint.removesuffix("/v1"),
        "AZURE_OPENAI_API_KEY": "none",
        # nothing beyond this machine can be reached
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1,localhost",
    }


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    names = [tool["function"]["name"] for tool in request.get("tools", ())]
    if names == ["current_weather"] and request["messages"][-1]["role"] == "user":
        function = {"name": "current_weather", "arguments": '{"city": "Lisbon"}'}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": "Here you are."}


def _publish(public: Path) -> dict[str, DataSource]:
    """Lay the stand-ins out like the public repositories; the catalogue that describes them."""
    contents = {name: _fixture(name) for name in ("wildtoolbench", "mmtb")}
    contents["mmtb-rollouts"] = _gold_results("mmtb")
    published = {}
    for name, content in contents.items():
        source = CATALOGUE[name]
        path = next(file.path for file in source.files if len(source.files) == 1 or ROLLOUT in file.path)
        file = public / source.repository / source.commit / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        published[name] = replace(source, files=(RemoteFile(path, blob_id(file)),))
    return published


def _result_files(folder: Path) -> None:
    (folder / "Wild-Tool-Bench_result.jsonl").write_bytes(_gold_results("wildtoolbench"))
    (folder / "mmtb_result.jsonl").write_bytes(_gold_results("mmtb"))


def _fixture(family: str) -> bytes:
    return (FIXTURES / f"{family}_small.jsonl").read_bytes()


def _gold_results(name: str) -> bytes:
    """A result file of the original project in which every task went as annotated."""
    benchmark = find_benchmark(name)
    dataset = benchmark.load(FIXTURES / f"{name}_small.jsonl", "en")
    trajectories = [drive(benchmark.episode(dataset, unit), oracle) for unit in benchmark.units(dataset)]
    lines = (mmtb_lines if name == "mmtb" else wildtoolbench_lines)(dataset, trajectories)
    return "".join(lines).encode()


@contextmanager
def _web(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing on standard error."""
