"""From what is wanted to an engine's command line, and to the command that runs a benchmark against it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from msgspec import Struct

from toolgauge.errors import UsageError
from toolgauge.models.dialects.table import dialect_for
from toolgauge.models.engines.engine import ENGINES, Engine
from toolgauge.models.engines.gguf import GgufFacts, find_gguf, read_gguf
from toolgauge.models.engines.process import LOOPBACK, free_port, reachable
from toolgauge.models.families import Parsing, family_of
from toolgauge.models.local_server import LLAMACPP
from toolgauge.network import is_loopback

NO_PARSER = "none"
"""What `--parser` takes so that the engine leaves calls as text, for `toolgauge run --dialect`."""
GENERIC = "generic"
"""The dialect for models whose own is not known: a prompt that any chat model understands."""
MOST_SLOTS = 4
"""Of llama.cpp, where nobody says how many: no more than there are processors."""
USUAL_CONTEXT = 16384
"""Tokens of a slot of llama.cpp, where nobody says how many: a longer context takes memory even while it is empty."""


class ServeRequest(Struct, frozen=True):
    """What the user asked for.

    model: a name on the hub, a folder or a GGUF file; port: None for the engine's own, 0 for a free one;
    context_length: of one conversation, in tokens; slots: conversations at once; parser: instead of the family's, or
    NO_PARSER; template: a file, or what else the engine takes; extra: further arguments of the engine.
    """

    model: str
    host: str = LOOPBACK
    port: int | None = None
    context_length: int | None = None
    slots: int | None = None
    parser: str | None = None
    template: str | None = None
    trust_remote_code: bool = False
    extra: tuple[str, ...] = ()


class Serving(Struct, frozen=True):
    """command: starts the engine; run: runs a benchmark against it; spec: the model as `-m` takes it; base_url: where
    it answers, ends in /v1."""

    engine: Engine
    command: tuple[str, ...]
    run: tuple[str, ...]
    spec: str
    base_url: str
    host: str
    port: int
    notes: tuple[str, ...]


def installed(engine: Engine) -> tuple[str, ...] | None:
    """How the engine is called here: its command in the running environment or on the path, or its module."""
    name, *rest = engine.program
    on_path, beside = shutil.which(name), shutil.which(name, path=str(Path(sys.executable).parent))
    if on_path or beside:
        return (name if beside in (None, on_path) else str(beside), *rest)
    if importlib.util.find_spec(engine.package):
        return (sys.executable, "-m", *engine.module)
    return None


def choose_engine(name: str | None, *, model: str = "", must_run: bool = True) -> tuple[Engine, tuple[str, ...]]:
    """The engine of this name, or the first that is installed, and how it is called; for a GGUF file llama.cpp.

    must_run: it is going to be started, not only shown. Raises UsageError if none is installed.
    """
    if name is None and find_gguf(model) is not None:
        name = LLAMACPP
    if name is None:
        for engine in ENGINES.values():
            if call := installed(engine):
                return engine, call
        ways = "; ".join(f"{engine.title}: {engine.install}" for engine in ENGINES.values())
        raise UsageError(f"no engine installed; install one ({ways}), or print its command with --engine NAME --print")
    if name not in ENGINES:
        raise UsageError(f"--engine: unknown engine '{name}'; choose one of {', '.join(ENGINES)}")
    engine = ENGINES[name]
    call = installed(engine)
    if call is None and must_run:
        _gguf_file(model, engine)  # what cannot go is not worth an installation
        raise UsageError(f"--engine {name}: {engine.title} is not installed; install it with: {engine.install}")
    return engine, call or engine.program


def plan_serving(request: ServeRequest, engine: Engine, call: tuple[str, ...]) -> Serving:
    """The command lines, nothing started. Raises UsageError for options that the engine does not have."""
    file = _gguf_file(request.model, engine)
    gguf = read_gguf(file) if file is not None and engine.name == LLAMACPP else None
    _check(request, engine)
    parsing, notes = _parsing(request, engine, gguf)
    name, model = _served_name(request, engine, gguf), str(gguf.file) if gguf else request.model
    port = free_port(request.host) if request.port == 0 else request.port or engine.port
    command = [*call, *_flag(engine, "model"), model, "--host", request.host, "--port", str(port)]
    if name != request.model and engine.flags.get("served_name") not in _names(request.extra):
        command += [*_flag(engine, "served_name"), name]
    if parsing and parsing.tool:
        command += [*engine.with_parser, *_flag(engine, "parser"), parsing.tool]
    if parsing and parsing.reasoning:
        command += [*_flag(engine, "reasoning"), parsing.reasoning]
    if request.template:
        command += [*_flag(engine, "template"), request.template]
    elif parsing and parsing.template:
        notes.append(
            f"{engine.title} recommends its example chat template {parsing.template} for this model family; give it "
            "with --template FILE, else the model's own is used"
        )
    slots, length = request.slots, request.context_length
    if gguf is not None:  # llama.cpp divides its context among the slots
        slots = slots or min(MOST_SLOTS, os.cpu_count() or 1)
        length = slots * (length or min(gguf.context_length or USUAL_CONTEXT, USUAL_CONTEXT))
    command += engine.always
    for option, value in (("slots", slots), ("context_length", length)):
        command += [*_flag(engine, option), str(value)] if value is not None else []
    if request.trust_remote_code:
        command.append("--trust-remote-code")
    if not is_loopback(request.host):
        notes.append(f"{request.host} is reachable from other machines, and the engine requires no key")
    spec, base_url = f"{engine.provider}/{name}", f"http://{reachable(request.host)}:{port}/v1"
    run = ["toolgauge", "run", "mini", "-m", spec, "--base-url", base_url, "--limit", "8"]
    if parsing is None:
        run += ["--dialect", (gguf.dialect if gguf else dialect_for(name)) or GENERIC]
    return Serving(
        engine, (*command, *request.extra), tuple(run), spec, base_url, request.host, port, notes=tuple(notes)
    )


def _flag(engine: Engine, option: str) -> list[str]:
    return [engine.flags[option]] if option in engine.flags else []


def _names(arguments: tuple[str, ...]) -> set[str]:
    return {argument.partition("=")[0] for argument in arguments}


def _check(request: ServeRequest, engine: Engine) -> None:
    """Raises UsageError for options that the engine does not have, and for what stands on the wrong side of the --."""
    parser = request.parser if request.parser != NO_PARSER else None
    values = {"context_length": request.context_length, "slots": request.slots, "template": request.template}
    for option, value in {**values, "parser": parser}.items():
        if value is not None and option not in engine.flags:
            raise UsageError(
                f"--{option.replace('_', '-')} is not supported by {engine.title}, which uses the value in the model's "
                "files"
            )
    if misplaced := {"--host", "--port"} & _names(request.extra):
        raise UsageError(f"{misplaced.pop()}: write it before the --, toolgauge needs it too")
    if request.extra and not request.extra[0].startswith("-"):
        raise UsageError(f"unexpected argument '{request.extra[0]}'; give one model, and engine options after --")


def _gguf_file(model: str, engine: Engine) -> Path | None:
    """The GGUF file that a model is. Raises UsageError where the engine and the model do not go together."""
    file = find_gguf(model)
    if file is None and engine.name == LLAMACPP:
        raise UsageError(f"{model}: no GGUF file, and {engine.title} needs one. {_how_to_get(model)}")
    if file is not None and engine.name == "transformers":
        raise UsageError(f"{model}: {engine.title} cannot serve GGUF files; use --engine llamacpp")
    return file


def _how_to_get(model: str) -> str:
    """Where the GGUF file of a model on the hub is to be had."""
    if Path(model).exists() or model.count("/") != 1:
        return "Give the path of a file or its folder."
    name = model.partition("/")[2]
    others = ", ".join(engine.title for engine in ENGINES.values() if engine.name != LLAMACPP)
    return (
        f"Download one, for example with: hf download {model}-GGUF --include '*Q4_K_M.gguf' --local-dir {name}-GGUF "
        f"(repackers have others), then: toolgauge serve {name}-GGUF. Or install {others}, which need none"
    )


def _parsing(request: ServeRequest, engine: Engine, gguf: GgufFacts | None) -> tuple[Parsing | None, list[str]]:
    """What the engine is told about calls, None where it leaves them as text; and what to say about it."""
    if request.parser == NO_PARSER:
        return None, []
    if not request.template and (gguf.chat_template is None if gguf else _lacks_template(request.model)):
        return None, [
            f"{gguf.file.name if gguf else request.model} has no chat template: a base model, which was not taught to "
            "answer or to call tools; serve the chat or instruct model of the family, or give --template FILE"
        ]
    if gguf is not None:  # llama.cpp reads calls by the chat template, without being told, if that renders tools
        if request.template or gguf.writes_tools:
            return Parsing(""), []
        dialect = gguf.dialect or GENERIC
        return None, [f"the chat template of {gguf.file.name} does not render tools; `run` uses the dialect {dialect}"]
    family = family_of(request.model)
    parsing = family.parsing(engine.name) if family else None
    if request.parser is not None:
        return Parsing(request.parser, parsing.reasoning if parsing else "", parsing.template if parsing else ""), []
    if parsing is not None:
        return parsing, []
    if family:
        dialect = family.dialect or GENERIC
        return None, [f"{engine.title} has no tool-call parser for this model family; `run` uses the dialect {dialect}"]
    parser = "give --parser, or " if "parser" in engine.flags else ""
    return None, [
        f"unknown model family '{request.model}': {parser}give `run` the right --dialect (generic works with any chat "
        "model)"
    ]


def _lacks_template(model: str) -> bool:
    """Is it a folder of a model whose files have no chat template?"""
    folder = Path(model)
    settings = folder / "tokenizer_config.json"
    try:
        if not settings.is_file() or any(folder.glob("*chat_template*")):
            return False
        return b'"chat_template"' not in settings.read_bytes()
    except OSError:
        return False


def _served_name(request: ServeRequest, engine: Engine, gguf: GgufFacts | None) -> str:
    """What requests call the model: a file or folder goes by its name, where the engine has a way to say so."""
    flag = engine.flags.get("served_name")
    for place, argument in enumerate(request.extra):
        name, equals, value = argument.partition("=")
        if name == flag:
            return value if equals else "".join(request.extra[place + 1 : place + 2])
    if gguf is not None:
        return gguf.file.stem
    folder = Path(request.model)
    return folder.resolve().name if flag and folder.is_dir() else request.model
