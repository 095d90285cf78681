"""Engines of this machine: their command lines, and the GGUF files that they are given."""

from __future__ import annotations

import importlib.util
import shlex
import stat
import struct
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import rows
from toolgauge.errors import UsageError
from toolgauge.models.engines import llamacpp_server
from toolgauge.models.engines.command import ServeRequest, Serving, choose_engine, plan_serving
from toolgauge.models.engines.engine import ENGINES
from toolgauge.models.engines.gguf import GgufFacts, read_gguf

TEXT, ARRAY, UINT32, FLOAT32 = 8, 9, 4, 6


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def head(*keys: bytes, count: int | None = None, magic: bytes = b"GGUF", version: int = 3) -> bytes:
    return magic + struct.pack("<IQQ", version, 2, len(keys) if count is None else count) + b"".join(keys)


USUAL = (
    key("general.architecture", TEXT, text("qwen2")),
    key("general.name", TEXT, text("Qwen2.5 7B Instruct")),
    key("qwen2.context_length", UINT32, struct.pack("<I", 32768)),
    key("qwen2.rope.freq_base", FLOAT32, struct.pack("<f", 1e6)),
    key("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", TEXT, 2) + text("a") + text("b")),
    key("tokenizer.ggml.scores", ARRAY, struct.pack("<IQ", FLOAT32, 2) + b"\0" * 8),
    key("tokenizer.chat_template", TEXT, text("{% if tools %}{{ tools }}{% endif %}")),
)


def made(folder: Path, content: bytes, name: str = "m.gguf") -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def test_a_usual_file(tmp_path: Path) -> None:
    file = made(tmp_path, head(*USUAL) + b"tensors")
    facts = read_gguf(file)
    assert facts == GgufFacts("Qwen2.5 7B Instruct", "qwen2", 32768, "{% if tools %}{{ tools }}{% endif %}", file)
    assert facts.writes_tools


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4" + b"\0" * 40,
        head(*USUAL, version=99),
        head(*USUAL)[:60],
        head(count=2**40),
        head(*USUAL, count=len(USUAL) + 1),
        head(struct.pack("<Q", 2**62)),
        head(key("a", TEXT, struct.pack("<Q", 2**40))),
        head(key("a", ARRAY, struct.pack("<IQ", TEXT, 2**40))),
        head(key("a", ARRAY, struct.pack("<IQ", 7, 2**62))),
        head(key("a", ARRAY, struct.pack("<IQ", ARRAY, 1))),
        head(key("a", 77, b"")),
    ],
)
def test_broken_files_are_refused_without_being_read_whole(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UsageError, match=r"m\.gguf: not a GGUF model"):
        read_gguf(made(tmp_path, content))


@given(st.binary(max_size=200))
def test_any_bytes_behind_a_right_beginning(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    file = made(tmp_path_factory.mktemp("junk"), b"GGUF" + struct.pack("<I", 3) + junk)
    try:
        read_gguf(file)
    except UsageError as error:
        assert "not a GGUF model" in str(error)  # noqa: PT017 - it may also be readable


def test_an_architecture_tells_the_dialect_where_no_name_does() -> None:
    assert GgufFacts("My tune", "gpt-oss", file=Path("my-tune.gguf")).dialect == "gpt-oss"
    assert GgufFacts("My tune", "qwen2", file=Path("my-tune.gguf")).dialect is None


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A path with an empty folder; no engine can be imported either."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return folder


def plan(engine: str, model: str, **options: object) -> Serving:
    return plan_serving(ServeRequest(model, **options), *choose_engine(engine, must_run=False))  # type: ignore[arg-type]


def flags(engine: str, model: str, **options: object) -> str:
    """What comes after the address."""
    line = shlex.join(plan(engine, model, **options).command)
    return line.partition(f"--port {ENGINES[engine].port}")[2].strip()


@rows(
    ("engine", "model", "expected"),
    [
        ("vllm", "Qwen/Qwen2.5-7B-Instruct", "--tool-call-parser hermes"),
        ("vllm", "Qwen/Qwen3-8B", "--tool-call-parser hermes --reasoning-parser qwen3"),
        ("vllm", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "--tool-call-parser qwen3_xml"),
        ("vllm", "openai/gpt-oss-20b", "--tool-call-parser openai --reasoning-parser openai_gptoss"),
        ("vllm", "google/gemma-4-E2B-it", "--tool-call-parser gemma4 --reasoning-parser gemma4"),
        ("sglang", "Qwen/Qwen2.5-7B-Instruct", "--tool-call-parser qwen"),
        ("sglang", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "--tool-call-parser qwen3_coder"),
        ("sglang", "tencent/Hy3-FP8", "--tool-call-parser hunyuan --reasoning-parser hunyuan"),
        ("sglang", "openai/gpt-oss-120b", "--tool-call-parser gpt-oss --reasoning-parser gpt-oss"),
        ("transformers", "Qwen/Qwen3-8B", ""),
    ],
)
def test_a_familys_flags(engine: str, model: str, expected: str) -> None:
    automatic = "--enable-auto-tool-choice " if engine == "vllm" else ""
    assert flags(engine, model) == (automatic + expected if expected else "")
    assert "--dialect" not in plan(engine, model).run


@rows(
    ("engine", "model", "dialect"),
    [
        ("sglang", "Salesforce/Llama-xLAM-2-8b-fc-r", "xlam2"),
        ("transformers", "openai/gpt-oss-20b", "gpt-oss"),
        ("vllm", "google/gemma-3-4b-it", "gemma"),
        ("vllm", "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "generic"),
        ("transformers", "CohereLabs/command-a-reasoning-08-2025", "generic"),  # known, but to no dialect
    ],
)
def test_without_a_parser_the_dialect_reads_the_text(engine: str, model: str, dialect: str) -> None:
    serving = plan(engine, model)
    assert "parser" not in shlex.join(serving.command)
    assert serving.run[-2:] == ("--dialect", dialect)
    assert ["has no tool-call parser for this model family" in str(note) for note in serving.notes] == [True]
    assert f"dialect {dialect}" in serving.notes[0]


def test_a_whole_line() -> None:
    assert shlex.join(plan("vllm", "Qwen/Qwen3-8B").command) == (
        "vllm serve Qwen/Qwen3-8B --host 127.0.0.1 --port 8000"
        " --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3"
    )
    assert shlex.join(plan("sglang", "Qwen/Qwen2.5-7B-Instruct").command) == (
        "sglang serve --model-path Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1 --port 30000 --tool-call-parser qwen"
    )
    assert shlex.join(plan("transformers", "Qwen/Qwen2.5-7B-Instruct", port=9000).command) == (
        "transformers serve Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1 --port 9000"
    )
    assert shlex.join(plan("sglang", "Qwen/Qwen2.5-7B-Instruct").run) == (
        "toolgauge run mini -m sglang/Qwen/Qwen2.5-7B-Instruct --base-url http://127.0.0.1:30000/v1 --limit 8"
    )


def test_options_become_the_engines_own() -> None:
    every = {"context_length": 8192, "template": "t.jinja", "trust_remote_code": True, "extra": ("--seed", "1")}
    vllm = flags("vllm", "Qwen/Qwen2.5-7B-Instruct", parser="xlam", **every)
    assert vllm == (
        "--enable-auto-tool-choice --tool-call-parser xlam --chat-template t.jinja --max-model-len 8192"
        " --trust-remote-code --seed 1"
    )
    sglang = flags("sglang", "Qwen/Qwen2.5-7B-Instruct", **every)
    assert sglang == (
        "--tool-call-parser qwen --chat-template t.jinja --context-length 8192 --trust-remote-code --seed 1"
    )


@rows(
    ("engine", "options", "said"),
    [
        ("transformers", {"context_length": 10}, "--context-length"),
        ("transformers", {"template": "t"}, "--template"),
        ("transformers", {"parser": "hermes"}, "--parser"),
        ("vllm", {"extra": ("--port=1",)}, "--port"),
        ("vllm", {"extra": ("--seed", "1", "--host", "x")}, "--host"),
        ("vllm", {"extra": ("another/model",)}, "one model"),
        ("nobody", {}, "choose one of vllm, sglang, transformers"),
    ],
)
def test_what_cannot_be(engine: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan(engine, "Qwen/Qwen3-8B", **options)


@rows(
    ("host", "address", "notes"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/v1", []),
        ("localhost", "http://localhost:8000/v1", []),
        ("::1", "http://[::1]:8000/v1", []),
        ("0.0.0.0", "http://127.0.0.1:8000/v1", [True]),
        ("::", "http://[::1]:8000/v1", [True]),
        ("192.0.2.7", "http://192.0.2.7:8000/v1", [True]),
    ],
)
def test_addresses(host: str, address: str, notes: list[bool]) -> None:
    serving = plan("vllm", "Qwen/Qwen2.5-7B-Instruct", host=host)
    assert serving.base_url == address
    assert ["is reachable from other machines" in str(note) for note in serving.notes] == notes


def program(folder: Path, name: str) -> None:
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def test_the_first_installed_engine_is_taken(nothing_installed: Path) -> None:
    with pytest.raises(UsageError, match=r"pip install vllm.*pip install sglang.*toolgauge\[local\]"):
        choose_engine(None)
    program(nothing_installed, "transformers")
    assert choose_engine(None)[0].name == "transformers"
    program(nothing_installed, "vllm")
    assert choose_engine(None)[1] == ("vllm", "serve")


def test_an_engine_that_is_not_here_is_said(nothing_installed: Path) -> None:
    with pytest.raises(UsageError, match="SGLang is not installed; install it with: pip install sglang"):
        choose_engine("sglang")
    assert choose_engine("sglang", must_run=False)[1] == ("sglang", "serve")


WITH_TOOLS = "{% for tool in tools %}{{ tool }}{% endfor %}"


def gguf(
    folder: Path, name: str = "Qwen2.5-7B-Instruct-Q4_K_M.gguf", template: str = WITH_TOOLS, called: str = ""
) -> Path:
    keys = (
        key("general.name", TEXT, text(called)),
        key("general.architecture", TEXT, text("qwen2")),
        key("qwen2.context_length", UINT32, struct.pack("<I", 4096)),
        key("tokenizer.chat_template", TEXT, text(template)),
    )
    return made(folder, head(*keys), name)


def plan_file(file: Path, engine: str | None = "llamacpp", **options: object) -> Serving:
    wanted = ServeRequest(str(file), **options)  # type: ignore[arg-type]
    return plan_serving(wanted, *choose_engine(engine, model=str(file), must_run=False))


def value(serving: Serving, flag: str) -> str:
    return serving.command[serving.command.index(flag) + 1]


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_a_model_whose_template_shows_tools(tmp_path: Path) -> None:
    serving = plan_file(gguf(tmp_path))
    assert value(serving, "--alias") == "Qwen2.5-7B-Instruct-Q4_K_M"
    assert (value(serving, "--parallel"), value(serving, "--ctx-size")) == ("2", "8192")
    assert "--jinja" in serving.command
    assert serving.run[3:5] == ("-m", "llamacpp/Qwen2.5-7B-Instruct-Q4_K_M")
    assert ("--dialect" in serving.run, serving.notes) == (False, ())
    assert serving.engine.environment["OMP_WAIT_POLICY"] == "passive"


@pytest.mark.parametrize(
    ("name", "dialect"), [("SmolLM2-135M-Instruct.Q4_1.gguf", "generic"), ("Qwen2.5-7B-Instruct-Q8_0.gguf", "hermes")]
)
def test_a_template_without_tools_needs_a_dialect(tmp_path: Path, name: str, dialect: str) -> None:
    serving = plan_file(gguf(tmp_path, name, "{{ messages }}"))
    assert serving.run[-2:] == ("--dialect", dialect)
    assert f"does not render tools; `run` uses the dialect {dialect}" in str(serving.notes[0])
    own = plan_file(gguf(tmp_path, name, "{{ messages }}"), template="own.jinja")
    assert value(own, "--chat-template-file") == "own.jinja"
    assert ("--dialect" in own.run, own.notes) == (False, ())


def test_a_gguf_file_chooses_llama_cpp(tmp_path: Path) -> None:
    file = gguf(tmp_path)
    assert plan_file(file, None).engine.name == "llamacpp"
    assert plan_file(file.parent, None).engine.name == "llamacpp"


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="transformers serve cannot serve GGUF files; use --engine llamacpp"):
        plan_file(gguf(tmp_path), "transformers")
    with pytest.raises(UsageError, match=r"no GGUF file, and llama.cpp needs one\. .* hf download Qwen/Qwen3-8B-GGUF"):
        plan_file(Path("Qwen/Qwen3-8B"))
    with pytest.raises(UsageError, match=r"--parser is not supported by llama\.cpp"):
        plan_file(gguf(tmp_path), parser="hermes")


def test_the_server_out_of_the_package_takes_llama_servers_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for xllamacpp; tests/local has the real one."""

    def parameters() -> types.SimpleNamespace:
        places = {name: types.SimpleNamespace() for name in ("model", "cpuparams", "cpuparams_batch")}
        return types.SimpleNamespace(**places, chat_template="")

    template = made(tmp_path, b"{{ messages }}", "own.jinja")
    command = plan_file(gguf(tmp_path), slots=2, template=str(template), port=8123).command
    monkeypatch.setitem(sys.modules, "xllamacpp", types.SimpleNamespace(CommonParams=parameters))
    asked = llamacpp_server.options(list(command[command.index("--model") :]))
    found = llamacpp_server.parameters(asked)
    assert found.model.path == str(tmp_path / "Qwen2.5-7B-Instruct-Q4_K_M.gguf")
    assert (found.hostnames, found.port, found.n_parallel, found.n_ctx) == (["127.0.0.1"], 8123, 2, 8192)
    assert (found.model_alias, found.chat_template) == ({"Qwen2.5-7B-Instruct-Q4_K_M"}, "{{ messages }}")
