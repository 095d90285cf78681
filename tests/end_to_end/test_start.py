"""What a run does before its first request; examples/tiny.py; keys and texts of strangers in what is printed."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import logging
import subprocess
import sys
import traceback
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.end_to_end.playing import KEY, Player, call, command, replies, snapshot
from tests.mockserver import Fault, serve, status
from tests.sizes import in_turn, sized
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request
from toolgauge.cli import terminal
from toolgauge.cli.verbs import verbs_for
from toolgauge.episode import Trajectory, drive
from toolgauge.judge.verdict import EXACT
from toolgauge.models.builtin.models import keyword, noisy, oracle, silent
from toolgauge.visible import BLANKS, visible

LATER = ("numpy", "rich.progress", "toolgauge.cli.review", "toolgauge.analysis.table")
"""Loaded by other verbs, or when tables are made or shown."""
LOADED = """
import sys
from toolgauge.runs.executors.local import LocalExecutor

ask, loaded = LocalExecutor._ask, set()

def asking(*given):
    loaded.update(loaded or sys.modules)
    return ask(*given)

LocalExecutor._ask = asking
from toolgauge.__main__ import main
with suppress(SystemExit):
    main()
print(sorted(loaded & set(LATER)))
"""


def last_line_of(program: str, folder: Path) -> str:
    """What a program says last that runs some tasks as the command line does."""
    arguments = ("run", "mini", "-m", "builtin/oracle", "--limit", "2", "--out", str(folder))
    command = [sys.executable, "-c", f"from contextlib import suppress\n{LATER=}\n{program}", *arguments]
    return subprocess.check_output(command, text=True).splitlines()[-1]


def test_what_can_wait_is_loaded_when_requests_are_under_way(tmp_path: Path) -> None:
    assert last_line_of(LOADED, tmp_path / "run") == "[]"


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["run", "mini"], ["run"]),
        (["--debug", "data", "list"], ["data"]),
        (["report", "--help"], ["report"]),
        (["--version"], []),
        (["--help", "run"], []),
        (["rum"], []),
        ([], []),
    ],
)
def test_the_verb_that_is_used_is_loaded_alone(arguments: Sequence[str], loaded: Sequence[str]) -> None:
    assert list(verbs_for(arguments)) == list(loaded)


FILE = Path(__file__).parents[2] / "examples" / "tiny.py"
MODELS: dict[str, Callable[[Request], Reply]] = {
    "oracle": oracle,
    "silent": silent,
    "keyword": keyword,
    **{f"noisy {seed}": noisy(seed, rate) for seed, rate in list(enumerate((0.3, 1.0) * 6))[: sized(2, 12)]},
}


@pytest.fixture(scope="module")
def tiny() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tiny", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def played(model: Callable[[Request], Reply], language: str) -> tuple[list[Trajectory], dict[str, bool]]:
    """What the package's own episodes and its scoring `exact` make of a model."""
    mini = find_benchmark("mini")
    assert mini.embedded is not None
    data = mini.load(mini.embedded, language)
    said = [drive(mini.episode(data, sample), model) for sample in mini.samples(data)]
    scores = [score for trajectory in said for score in mini.scores(data, trajectory)]
    return said, {score.task_id: score.scorings[EXACT].correct for score in scores}


@pytest.mark.parametrize(("name", "language"), in_turn(MODELS, ["en", "zh"]))
def test_the_labels_are_the_packages(name: str, language: str, tiny: ModuleType) -> None:
    _, labels = played(MODELS[name], language)
    assert tiny.labels(MODELS[name], language) == labels


PASSWORD, TOKEN = "letmein-9876", "query-token-4321"
REPEATS = "401 that repeats the key"
FAULTS = {
    "none": None,
    REPEATS: status(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key"),
    "web page with the key": Fault(502, f"<html>{KEY} {PASSWORD} {TOKEN}</html>".encode(), content_type="text/html"),
    "400 with all that was sent": status(400, f"Authorization: Bearer {KEY}; {PASSWORD}; {TOKEN}"),
}
CASES = [*((fault, "address") for fault in FAULTS), ("none", "option"), (REPEATS, "option"), (REPEATS, ".env")]


@pytest.mark.parametrize(("fault", "given"), CASES)
def test_no_key_anywhere(fault: str, given: str, tmp_path: Path) -> None:
    with serve(Player(replies(limit=1)), lambda _number, _body: FAULTS[fault]) as server:
        arguments = ["--debug", "run", "mini", "-m", "openai/mock", "--out", "run", "--limit", "1"]
        arguments += ["--set", "endpoint.max_attempts=2", "--set", "endpoint.patience=0"]
        arguments += ["--set", "limits.probe=false"] if given == ".env" else []
        base_url = server.base_url
        if given == "address":
            base_url = base_url.replace("://", f"://somebody:{PASSWORD}@") + f"?token={TOKEN}"
        if given == ".env":
            (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\nOPENAI_BASE_URL={base_url}\n")
        else:
            arguments += ["--base-url", base_url, "--set", f"endpoint.api_key={KEY}"]
        code, out, err = call(command(*arguments), tmp_path)
        sent = {header for headers in server.headers for header in headers.values()}
    assert code == (0 if fault == "none" else 1), err
    assert any(KEY in header or header.startswith("Basic ") for header in sent)
    written = b"".join(snapshot(tmp_path / "run").values()).decode() if (tmp_path / "run").exists() else ""
    assert written
    for secret in (KEY, PASSWORD, TOKEN) if given == "address" else (KEY,):
        assert secret not in written + out + err


def test_a_key_in_the_body_is_sent_and_not_recorded(tmp_path: Path) -> None:
    body = {"guard": {"api_key": "letmein-1234", "level": 2}, "access_token": "letmein-5678", "stop_token": "<eos>"}
    with serve(Player(replies(limit=1))) as server:
        sampled = ["--set", "limits.probe=false", "--set", f"sampling.extra_body={json.dumps(body)}"]
        for _once_more in range(2):
            code, out, err = call(
                command("run", "mini", "--limit", 1, "--out", "run", *sampled, server=server), tmp_path
            )
            assert code == 0, err
        assert all(request["guard"] == body["guard"] for request in server.requests)
    written = b"".join(snapshot(tmp_path / "run").values()).decode()
    assert "letmein" not in written + out + err
    recorded = json.loads((tmp_path / "run" / "run.json").read_bytes())["sampling"]["extra_body"]
    assert recorded == {"guard": {"level": 2}, "stop_token": "<eos>"}


def test_the_proxy_of_an_endpoint_is_announced_without_its_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", "http://bob:letmein@127.0.0.1:9")
    address = ["--base-url", "http://nobody.example/v1", "--set", "endpoint.max_attempts=1"]
    code, _out, err = call(command("run", "mini", "-m", "openai/m", "--limit", 1, "--out", "run", *address), tmp_path)
    assert code == 1
    assert ", proxy: http://127.0.0.1:9\n" in err
    assert "connection failed through the proxy http://127.0.0.1:9" in err
    assert "letmein" not in err


texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\x1b\x9b\x9d\x07\b\r\n\t\x0b\x0c\x85\x7f\u200b\u200d\u2028\u2029\u202e\u2066\ufeff\ud800[]:;m/"
        ),
    )
)


def harmless(text: str, layout: str = "\n") -> bool:
    """Holds a text only what is seen where it stands?"""
    return all(char in layout or char == " " or char in BLANKS or char.isprintable() for char in text)


class Screen(io.TextIOWrapper):
    """Standard output or error, to be read back."""

    def __init__(self, tty: bool = False) -> None:
        super().__init__(io.BytesIO(), "utf-8", newline="\n")
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


@contextlib.contextmanager
def screen(tty: bool = False, guard: bool = False) -> Iterator[Screen]:
    made, before = Screen(tty), (sys.stdout, sys.stderr)
    sys.stdout = sys.stderr = made
    try:
        if guard:
            terminal.guard()
        yield made
    finally:
        sys.stdout, sys.stderr = before


@given(texts)
def test_visible_texts_are_one_line_without_controls(text: str) -> None:
    shown = visible(text)
    assert harmless(shown, "")
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)
    assert visible(shown) == shown
    if text.isprintable():
        assert shown == text


@given(texts)
def test_what_others_print_is_made_harmless(text: str) -> None:
    with screen(guard=True) as seen:
        print(text)
        sys.stderr.writelines([text, "\n"])
        logging.lastResort.emit(logging.makeLogRecord({"msg": text}))  # type: ignore[union-attr]
        sys.stderr.write(warnings.formatwarning(text, UserWarning, "file.py", 1))
        try:
            raise ValueError(text)
        except ValueError:
            traceback.print_exc()
    assert harmless(seen.text(), "\n\t")
