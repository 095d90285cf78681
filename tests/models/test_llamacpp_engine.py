"""llama.cpp as an engine: its command line from what a GGUF file says, and what it does not serve."""

from __future__ import annotations

import struct
import sys
import types
from pathlib import Path

import pytest

from tests.models.test_gguf import TEXT, UINT32, head, key, made, text
from toolgauge.errors import UsageError
from toolgauge.models.engines import llamacpp_server
from toolgauge.models.engines.command import ServeRequest, Serving, choose_engine, plan_serving

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


def plan(file: Path, engine: str | None = "llamacpp", **options: object) -> Serving:
    wanted = ServeRequest(str(file), **options)  # type: ignore[arg-type]
    return plan_serving(wanted, *choose_engine(engine, model=str(file), must_run=False))


def value(serving: Serving, flag: str) -> str:
    return serving.command[serving.command.index(flag) + 1]


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_a_model_whose_template_shows_tools(tmp_path: Path) -> None:
    serving = plan(gguf(tmp_path))
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
    serving = plan(gguf(tmp_path, name, "{{ messages }}"))
    assert serving.run[-2:] == ("--dialect", dialect)
    assert f"does not render tools; `run` uses the dialect {dialect}" in str(serving.notes[0])
    own = plan(gguf(tmp_path, name, "{{ messages }}"), template="own.jinja")
    assert value(own, "--chat-template-file") == "own.jinja"
    assert ("--dialect" in own.run, own.notes) == (False, ())


def test_a_gguf_file_chooses_llama_cpp(tmp_path: Path) -> None:
    file = gguf(tmp_path)
    assert plan(file, None).engine.name == "llamacpp"
    assert plan(file.parent, None).engine.name == "llamacpp"


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="transformers serve cannot serve GGUF files; use --engine llamacpp"):
        plan(gguf(tmp_path), "transformers")
    with pytest.raises(UsageError, match=r"no GGUF file, and llama.cpp needs one\. .* hf download Qwen/Qwen3-8B-GGUF"):
        plan(Path("Qwen/Qwen3-8B"))
    with pytest.raises(UsageError, match=r"--parser is not supported by llama\.cpp"):
        plan(gguf(tmp_path), parser="hermes")


def test_the_server_out_of_the_package_takes_llama_servers_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for xllamacpp; tests/local has the real one."""

    def parameters() -> types.SimpleNamespace:
        places = {name: types.SimpleNamespace() for name in ("model", "cpuparams", "cpuparams_batch")}
        return types.SimpleNamespace(**places, chat_template="")

    template = made(tmp_path, b"{{ messages }}", "own.jinja")
    command = plan(gguf(tmp_path), slots=2, template=str(template), port=8123).command
    monkeypatch.setitem(sys.modules, "xllamacpp", types.SimpleNamespace(CommonParams=parameters))
    asked = llamacpp_server.options(list(command[command.index("--model") :]))
    found = llamacpp_server.parameters(asked)
    assert found.model.path == str(tmp_path / "Qwen2.5-7B-Instruct-Q4_K_M.gguf")
    assert (found.hostnames, found.port, found.n_parallel, found.n_ctx) == (["127.0.0.1"], 8123, 2, 8192)
    assert (found.model_alias, found.chat_template) == ({"Qwen2.5-7B-Instruct-Q4_K_M"}, "{{ messages }}")
