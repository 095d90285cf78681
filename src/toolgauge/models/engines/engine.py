"""The engines: how each of them is started."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

EngineName = Literal["vllm", "sglang", "transformers", "llamacpp"]


class Engine(Struct, frozen=True, kw_only=True):
    """How an engine is started.

    program: its command and what follows; module: the same for `python -m` where the command is not on the path.
    package: what is imported of it; install: the command that installs it. provider: what stands before the model's
    name after `-m`; port: where it listens by default.
    flags: its names of our options ("context_length", "parser", "reasoning", "template", "served_name", "slots", and
    "model" where a flag stands before the model's name), as far as it has them. with_parser: flags that go with a
    parser; always: flags of every command. environment: variables of its process, unless they are set already.
    """

    name: EngineName
    title: str
    program: tuple[str, ...]
    module: tuple[str, ...]
    package: str
    install: str
    provider: str
    port: int
    flags: dict[str, str] = {}
    with_parser: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    environment: dict[str, str] = {}


_PARSERS = {
    "parser": "--tool-call-parser",
    "reasoning": "--reasoning-parser",
    "template": "--chat-template",
    "served_name": "--served-model-name",
}
_ALL = (
    Engine(
        name="vllm",
        title="vLLM",
        program=("vllm", "serve"),
        module=("vllm.entrypoints.cli.main", "serve"),
        package="vllm",
        install="pip install vllm",
        provider="vllm",
        port=8000,
        flags={**_PARSERS, "context_length": "--max-model-len", "slots": "--max-num-seqs"},
        with_parser=("--enable-auto-tool-choice",),
    ),
    Engine(
        name="sglang",
        title="SGLang",
        program=("sglang", "serve"),
        module=("sglang.launch_server",),
        package="sglang",
        install="pip install sglang",
        provider="sglang",
        port=30000,
        flags={
            **_PARSERS,
            "model": "--model-path",
            "context_length": "--context-length",
            "slots": "--max-running-requests",
        },
    ),
    Engine(
        name="transformers",
        title="transformers serve",
        program=("transformers", "serve"),
        module=("transformers.cli.transformers", "serve"),
        package="transformers",
        install="pip install 'toolgauge[local]'",
        provider="openai",
        port=8000,
    ),
    Engine(
        name="llamacpp",
        title="llama.cpp",
        program=("llama-server",),
        module=("toolgauge.models.engines.llamacpp_server",),
        package="xllamacpp",
        install="pip install 'toolgauge[llamacpp]', or a llama-server on the path",
        provider="llamacpp",
        port=8080,
        flags={
            "model": "--model",
            "context_length": "--ctx-size",
            "template": "--chat-template-file",
            "served_name": "--alias",
            "slots": "--parallel",
        },
        always=("--jinja",),
        # threads that wait for work leave the processor: five times as fast where others use it as well
        environment={"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"},
    ),
)
ENGINES: dict[str, Engine] = {engine.name: engine for engine in _ALL}
"""In the order in which one that is installed is chosen."""
