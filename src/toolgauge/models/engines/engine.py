"""The engines: how each of them is started."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

EngineName = Literal["vllm", "sglang", "transformers", "llamacpp"]


class Engine(Struct, frozen=True):
    """How an engine is started.

    program: its command and what follows; module: the same for `python -m` where the command is not on the path.
    package: what is imported of it; install: the command that installs it.
    provider: what stands before the model's name after `-m`; port: where it listens by default.
    model: the flag before the model's name, "" for none.
    context_length, parser, reasoning, template, served_name, slots (how many conversations at once): its flags, ""
    where it has none. with_parser: flags that go with a parser; always: flags of every command.
    environment: variables of its process, unless they are set already.
    examples: where its example templates may lie, relative to the folder above its package, or absolute.
    """

    name: EngineName
    title: str
    program: tuple[str, ...]
    module: tuple[str, ...]
    package: str
    install: str
    provider: str
    port: int
    model: str = ""
    context_length: str = ""
    parser: str = ""
    reasoning: str = ""
    template: str = ""
    served_name: str = ""
    slots: str = ""
    with_parser: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    examples: tuple[str, ...] = ()


ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine(
            "vllm",
            "vLLM",
            ("vllm", "serve"),
            ("vllm.entrypoints.cli.main", "serve"),
            "vllm",
            "pip install vllm",
            "vllm",
            8000,
            context_length="--max-model-len",
            parser="--tool-call-parser",
            reasoning="--reasoning-parser",
            template="--chat-template",
            served_name="--served-model-name",
            slots="--max-num-seqs",
            with_parser=("--enable-auto-tool-choice",),
            examples=("examples", "/vllm-workspace/examples"),
        ),
        Engine(
            "sglang",
            "SGLang",
            ("sglang", "serve"),
            ("sglang.launch_server",),
            "sglang",
            "pip install sglang",
            "sglang",
            30000,
            model="--model-path",
            context_length="--context-length",
            parser="--tool-call-parser",
            reasoning="--reasoning-parser",
            template="--chat-template",
            served_name="--served-model-name",
            slots="--max-running-requests",
            examples=("../examples/chat_template", "/sgl-workspace/sglang/examples/chat_template"),
        ),
        Engine(
            "transformers",
            "transformers serve",
            ("transformers", "serve"),
            ("transformers.cli.transformers", "serve"),
            "transformers",
            "pip install 'toolgauge[local]'",
            "openai",
            8000,
        ),
        Engine(
            "llamacpp",
            "llama.cpp",
            ("llama-server",),
            ("toolgauge.models.engines.llamacpp_server",),
            "xllamacpp",
            "pip install 'toolgauge[llamacpp]', or a llama-server on the path",
            "llamacpp",
            8080,
            model="--model",
            context_length="--ctx-size",
            template="--chat-template-file",
            served_name="--alias",
            slots="--parallel",
            always=("--jinja",),
            # threads that wait for work leave the processor: five times as fast where others use it as well
            environment={"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"},
        ),
    )
}
"""In the order in which one that is installed is chosen."""
