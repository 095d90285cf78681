"""From what is wanted to an engine's command line, and to the command that runs a benchmark against it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from msgspec import Struct

from toolgauge.errors import UsageError
from toolgauge.models.dialects.registry import dialect_for
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
MAX_SETTINGS = 4_000_000
"""Bytes of a model's settings that are looked at for a template."""
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
    if beside := shutil.which(name, path=str(Path(sys.executable).parent)):
        on_path = shutil.which(name)
        same = on_path is not None and Path(on_path).resolve() == Path(beside).resolve()
        return (name if same else beside, *rest)
    if shutil.which(name):
        return engine.program
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


def plan_serving(wanted: ServeRequest, engine: Engine, call: tuple[str, ...]) -> Serving:
    """The command lines, nothing started. Raises UsageError for options that the engine does not have."""
    gguf = _gguf(wanted, engine)
    _check(wanted, engine)
    parsing, notes = _parsing_of_gguf(wanted, gguf) if gguf else _parsing(wanted, engine)
    port = free_port(wanted.host) if wanted.port == 0 else wanted.port or engine.port
    name = _served_name(wanted, engine, gguf)
    model = str(gguf.file) if gguf else wanted.model
    flags = [*([engine.model] if engine.model else []), model, "--host", wanted.host, "--port", str(port)]
    if name != wanted.model and engine.served_name not in _flags(wanted.extra):
        flags += [engine.served_name, name]
    if parsing is not None:
        flags += _parser_flags(engine, parsing)
    template = wanted.template or _example(engine, parsing)
    if template:
        flags += [engine.template, template]
    elif parsing is not None and parsing.template:
        notes.append(
            f"{engine.title} recommends its example chat template {parsing.template} for this model family; download "
            "it and give --template FILE, else the model's own is used"
        )
    flags += [*engine.always, *_sizes(wanted, engine, gguf)]
    if wanted.trust_remote_code:
        flags.append("--trust-remote-code")
    if not is_loopback(wanted.host):
        notes.append(f"{wanted.host} is reachable from other machines, and the engine requires no key")
    base_url = f"http://{reachable(wanted.host)}:{port}/v1"
    spec = f"{engine.provider}/{name}"
    run = ["toolgauge", "run", "mini", "-m", spec, "--base-url", base_url, "--limit", "8"]
    if parsing is None:
        run += ["--dialect", (gguf.dialect if gguf else dialect_for(name)) or GENERIC]
    command = (*call, *flags, *wanted.extra)
    return Serving(engine, command, tuple(run), spec, base_url, wanted.host, port, tuple(notes))


def _gguf(wanted: ServeRequest, engine: Engine) -> GgufFacts | None:
    """The GGUF file that llama.cpp is to serve, with what it says; None of other models and engines."""
    file = _gguf_file(wanted.model, engine)
    return read_gguf(file) if file is not None and engine.name == LLAMACPP else None


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


def _lacks_template(model: str) -> bool:
    """Is it a folder of a model whose files have no chat template?"""
    folder = Path(model)
    settings = folder / "tokenizer_config.json"
    try:
        if not settings.is_file() or any(folder.glob("*chat_template*")):
            return False
        return b'"chat_template"' not in settings.read_bytes()[:MAX_SETTINGS]
    except OSError:
        return False


def _sizes(wanted: ServeRequest, engine: Engine, gguf: GgufFacts | None) -> list[str]:
    """The flags for slots and context; llama.cpp divides its context among the slots."""
    slots, length = wanted.slots, wanted.context_length
    if gguf is not None:
        slots = slots or min(MOST_SLOTS, os.cpu_count() or 1)
        length = slots * (length or min(gguf.context_length or USUAL_CONTEXT, USUAL_CONTEXT))
    sized = ((engine.slots, slots), (engine.context_length, length))
    return [part for flag, value in sized if value is not None for part in (flag, str(value))]


def _parsing_of_gguf(wanted: ServeRequest, gguf: GgufFacts) -> tuple[Parsing | None, list[str]]:
    """llama.cpp reads calls by the chat template, without being told, if that shows the model the tools."""
    if wanted.parser == NO_PARSER:
        return None, []
    if wanted.template or gguf.writes_tools:
        return Parsing(""), []
    dialect = gguf.dialect or GENERIC
    if gguf.chat_template is None:
        return None, [_base_model(gguf.file.name)]
    return None, [f"the chat template of {gguf.file.name} does not render tools; `run` uses the dialect {dialect}"]


def _base_model(name: str) -> str:
    return (
        f"{name} has no chat template: a base model, which was not taught to answer or to call tools; serve the chat "
        "or instruct model of the family, or give --template FILE"
    )


def _check(wanted: ServeRequest, engine: Engine) -> None:
    options = (
        ("--context-length", wanted.context_length, engine.context_length),
        ("--slots", wanted.slots, engine.slots),
        ("--template", wanted.template, engine.template),
        ("--parser", wanted.parser if wanted.parser != NO_PARSER else None, engine.parser),
    )
    for option, value, flag in options:
        if value is not None and not flag:
            raise UsageError(f"{option} is not supported by {engine.title}, which uses the value in the model's files")
    for option in ("--host", "--port"):
        if option in _flags(wanted.extra):
            raise UsageError(f"{option}: write it before the --, toolgauge needs it too")
    if wanted.extra and not wanted.extra[0].startswith("-"):
        raise UsageError(f"unexpected argument '{wanted.extra[0]}'; give one model, and engine options after --")


def _parsing(wanted: ServeRequest, engine: Engine) -> tuple[Parsing | None, list[str]]:
    """What the engine is told about calls, None where it leaves them as text; and what to say about it."""
    if wanted.parser == NO_PARSER:
        return None, []
    family = family_of(wanted.model)
    known = family.parsing(engine.name) if family else None
    if not wanted.template and _lacks_template(wanted.model):
        return None, [_base_model(wanted.model)]
    if wanted.parser is not None:
        return Parsing(wanted.parser, known.reasoning if known else "", known.template if known else ""), []
    if known is not None:
        return known, []
    dialect = dialect_for(wanted.model) or (GENERIC if family else None)
    if dialect:
        return None, [f"{engine.title} has no tool-call parser for this model family; `run` uses the dialect {dialect}"]
    parser = "give --parser, or " if engine.parser else ""
    return None, [
        f"unknown model family '{wanted.model}': {parser}give `run` the right --dialect (generic works with any chat "
        "model)"
    ]


def _parser_flags(engine: Engine, parsing: Parsing) -> list[str]:
    flags: list[str] = []
    if parsing.tool:
        flags += [*engine.with_parser, engine.parser, parsing.tool]
    if parsing.reasoning:
        flags += [engine.reasoning, parsing.reasoning]
    return flags


def _served_name(wanted: ServeRequest, engine: Engine, gguf: GgufFacts | None) -> str:
    """What requests call the model: a file or folder goes by its name, where the engine has a way to say so."""
    given = [*wanted.extra]
    for place, argument in enumerate(given):
        flag, equals, value = argument.partition("=")
        if engine.served_name and flag == engine.served_name:
            return value if equals else "".join(given[place + 1 : place + 2])
    if gguf is not None:
        return gguf.file.stem
    folder = Path(wanted.model)
    return folder.resolve().name if engine.served_name and folder.is_dir() else wanted.model


def _example(engine: Engine, parsing: Parsing | None) -> str | None:
    """The recommended template where the engine's examples are at hand: a checkout, or its container."""
    if parsing is None or not parsing.template:
        return None
    found = importlib.util.find_spec(engine.package)
    above = Path(found.origin).parent.parent if found and found.origin else Path("/")
    for folder in engine.examples:
        file = above / folder / parsing.template
        if file.is_file():
            return str(file.resolve())
    return None


def _flags(arguments: tuple[str, ...]) -> set[str]:
    return {argument.partition("=")[0] for argument in arguments}
