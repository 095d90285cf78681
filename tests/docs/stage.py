"""Where the pages' commands are carried out: an empty folder, and everything outside it played by this process.

What a page says           what it gets here
-----------------------    ---------------------------------------------------------------------------------------
openai/..., all providers  a server on the loopback that answers the probe's question with a call, else in words
http://localhost:8000/v1   the same server
public data sets           the files of tests/fixtures, served on the loopback and fetched by the real code, which is
                           told their checksums instead of those of the public files
data_all                   ACEBench's fixture, with its environments beside it, in the folder
result files               one in each original project's format, in the folder; of ACEBench a model's folder
toolgauge view ...         serves without a browser; its first page is asked for, then it is interrupted
make ...                   `make -n ...` in the project: says what it would do
.venv/bin/pytest ...       the files and folders that it names are looked for
the commands in ELSEWHERE  are left out, since the Makefile carries out the same
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

import msgspec
from msgspec.structs import replace

from tests.benchmarks.acebench.ace_building import demo_tables, write_scenarios
from tests.docs.pages import ROOT, Command
from tests.mockserver import serve
from tests.original_format import mmtb_lines, wildtoolbench_lines
from tests.warm.server import warm_script
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data import published
from toolgauge.benchmarks.catalogue import CATALOGUE
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.fetch import blob_id
from toolgauge.data.files import DataSource, RemoteFile
from toolgauge.episode import drive
from toolgauge.models.builtin.models import oracle
from toolgauge.models.provider import PROVIDERS

FIXTURES = ROOT / "tests" / "fixtures"
SERVER = "http://localhost:8000/v1"
ELSEWHERE = frozenset({"python3 -m pip install .", "source .venv/bin/activate"})
PYTEST = ".venv/bin/pytest "
ROLLOUT = "gpt4o1_en"
"""The one of MMTB's prediction files that is there to be fetched."""

_STAND_INS = """
import msgspec
from toolgauge.benchmarks.catalogue import CATALOGUE
from toolgauge.data.files import RemoteFile
for name, files in msgspec.json.decode({files!r}, type=dict[str, tuple[RemoteFile, ...]]).items():
    CATALOGUE[name] = msgspec.structs.replace(CATALOGUE[name], files=files)
"""
"""What the command line carries out first: it gives it stand-ins for the public data sets."""
JUDGED = {"answer": {"agrees": False, "reason": "no result says tomorrow"}, "earlier": {"needed": True}}
"""What the judge of the documents says of every task, besides that its values are implied."""


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
        if text.startswith(PYTEST):
            words = text.removeprefix(PYTEST).partition(" -k ")[0].split()
            assert all((ROOT / word).exists() for word in words if word.startswith("tests")), text
            return 0, command.output
        if "toolgauge view " in text:
            return self._view(text)
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

    def _view(self, text: str) -> tuple[int, str]:
        """A site that is served until Ctrl-C: without a browser, asked for its first page, then interrupted."""
        with subprocess.Popen(
            ["bash", "-c", f"exec env {text} --no-browser"],
            cwd=self.folder,
            env=self.environment | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as serving:
            assert serving.stdout is not None
            line = serving.stdout.readline().decode()
            try:
                with build_opener(ProxyHandler({})).open(line.split()[0]) as page:
                    assert b"toolgauge" in page.read()
            finally:
                serving.send_signal(signal.SIGINT)
            return serving.wait(60), line


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """A fresh stage; servers stop with it."""
    here, public = folder / "here", folder / "public"
    here.mkdir()
    catalogue = {name: replace(CATALOGUE[name], files=files) for name, files in _publish(public).items()}
    _result_files(here)
    command = folder / "bin" / "toolgauge"
    command.parent.mkdir()
    files = msgspec.json.encode({name: source.files for name, source in catalogue.items()})
    command.write_text(warm_script(_STAND_INS.format(files=files)))
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
        **{name: endpoint for one in PROVIDERS.values() for name in one.url_variables if one.base_url},
        # nothing beyond this machine can be reached
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1,localhost",
    }


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    if any("input_schema" in tool for tool in request.get("tools", ())):  # Anthropic's Messages
        return {"choices": [], "content": [{"type": "text", "text": "Here you are."}], "stop_reason": "end_turn"}
    asked = str(request["messages"][0].get("content"))
    if asked.startswith("You judge finished tasks"):
        listed = [int(one) for one in re.findall(r"(?m)^(\d+)\. \w+ \(a\d+\), ", request["messages"][-1]["content"])]
        rulings = [{"number": one, "verdict": "implied"} for one in listed]
        return {"role": "assistant", "content": json.dumps(JUDGED | {"arguments": rulings})}
    if asked.startswith("You read a recorded conversation"):
        return {"role": "assistant", "content": '{"begins": [1]}'}
    names = [tool["function"]["name"] for tool in request.get("tools", ())]
    if names == ["current_weather"] and request["messages"][-1]["role"] == "user":
        function = {"name": "current_weather", "arguments": '{"city": "Lisbon"}'}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": "Here you are."}


def _publish(public: Path) -> dict[str, tuple[RemoteFile, ...]]:
    """Lay the stand-ins out like the public repositories; which files there are of each data set."""
    contents = {
        "wildtoolbench": [_fixture("wildtoolbench")],
        "mmtb": [_fixture("mmtb")],
        "mmtb-rollouts": [_gold_results("mmtb")],
        "acebench": _acebench(public / "written"),
    }
    found = {}
    for name, texts in contents.items():
        source = CATALOGUE[name]
        remote = [file for file in source.files if len(texts) > 1 or len(source.files) == 1 or ROLLOUT in file.path]
        files = []
        for one, content in zip(remote, texts, strict=True):
            file = public / source.repository / source.commit / one.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            files.append(replace(one, blob=blob_id(file)))
        found[name] = tuple(files)
    return found


def _acebench(folder: Path) -> list[bytes]:
    """ACEBench's small data set, and scenario files around the demonstration's tables, in the catalogue's order."""
    for language in ("en", "zh"):
        write_scenarios(folder / "scenarios" / language, demo_tables(language))
    places = {"data_all": FIXTURES / "acebench", "scenarios": folder}
    names = [file.safe_name for file in published.published_files()]
    return [(places[name.partition("/")[0]] / name).read_bytes() for name in names]


def _result_files(folder: Path) -> None:
    (folder / "Wild-Tool-Bench_result.jsonl").write_bytes(_gold_results("wildtoolbench"))
    (folder / "mmtb_result.jsonl").write_bytes(_gold_results("mmtb"))
    shutil.copytree(FIXTURES / "acebench" / "data_all", folder / "data_all")
    shutil.copytree(FIXTURES / "acebench" / "environments", folder / "environments")
    _ace_results(folder / "result_en" / "my-model")


def _fixture(family: str) -> bytes:
    return (FIXTURES / f"{family}_small.jsonl").read_bytes()


def _gold_results(name: str) -> bytes:
    """A result file of the original project in which every task went as annotated."""
    benchmark = find_benchmark(name)
    dataset = benchmark.load(FIXTURES / f"{name}_small.jsonl", "en")
    trajectories = [drive(benchmark.episode(dataset, sample), oracle) for sample in benchmark.samples(dataset)]
    lines = (mmtb_lines if name == "mmtb" else wildtoolbench_lines)(dataset, trajectories)
    return "".join(lines).encode()


def _ace_results(folder: Path) -> None:
    """A model's result files in ACEBench's layout, every answer right."""
    folder.mkdir(parents=True)
    benchmark = AceBench()
    dataset = benchmark.load(FIXTURES / "acebench", "en")
    for sample in benchmark.samples(dataset):
        trajectory = drive(benchmark.episode(dataset, sample), oracle)
        said = trajectory.extra if "result" in trajectory.extra else {"result": trajectory.replies[0].content}
        line = {"id": sample.key} | {key: said[key] for key in ("result", "process") if key in said}
        with (folder / f"data_{dataset.by_id[sample.key].category}_result.json").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


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
