"""How the parsers of vLLM and SGLang read the worked examples of our dialects, beside how we read them.

    pip install vllm     # or sglang: each in an environment of its own
    pip install -e .     # toolgauge, into the same one
    python perf/engine_parsers.py [DIALECT ...] [--texts]

Needs no model and no GPU: the parsers that `toolgauge serve` chooses for a family are fed with text, as the engine's
server feeds them without streaming, the reasoning parser first where the text has thinking in it. A table a family
says of every text what comes out: "=" for our calls, content and reasoning (but for white space), else what differs;
"2/1 calls" are two of theirs and one of ours; "-" is thinking where no reasoning parser is chosen. Names of parsers
that the engine does not have are told first.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from toolgauge.chat import Tool
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.families import FAMILIES, Parsing, family_of

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.models.dialect_texts import EXAMPLES, SITUATIONS, situation

MODELS = {
    "hermes": "Qwen2.5-7B-Instruct",
    "qwen3-coder": "Qwen3.5-9B",
    "llama3-json": "Llama-3.1-8B-Instruct",
    "llama-pythonic": "Llama-4-Scout-17B-16E-Instruct",
    "toolace": "ToolACE-8B",
    "mistral": "Magistral-Small-2509",
    "granite": "granite-3.1-8b-instruct",
    "granite4": "granite-4.1-8b",
    "phi4-mini": "Phi-4-mini-instruct",
    "hunyuan": "Hunyuan-A13B-Instruct",
    "xlam2": "Llama-xLAM-2-8b-fc-r",
    "deepseek-v3": "DeepSeek-V3-0324",
    "deepseek-v3.1": "DeepSeek-V3.1",
    "kimi": "Kimi-K2-Thinking",
    "glm4.5": "GLM-4.5",
    "lfm2": "LFM2-1.2B",
    "lfm2.5": "LFM2.5-8B-A1B",
    "functiongemma": "functiongemma-270m-it",
    "gemma4": "gemma-4-E2B-it",
    "deepseek-v3.2": "DeepSeek-V3.2",
    "deepseek-v4": "DeepSeek-V4-Flash",
    "minimax-m2": "MiniMax-M2.5",
    "seed-oss": "Seed-OSS-36B-Instruct",
    "hunyuan3": "Hy3",
    "hunyuan3-preview": "Hy3-preview",
    "gpt-oss": "gpt-oss-20b",
}
"""A model of every dialect for which an engine has a parser."""

PARAMETERS: dict[str, dict[str, str]] = {
    "rain": {"city": "string"},
    "now": {},
    "book": {"who": "object", "days": "array", "sure": "boolean", "note": "null"},
    "查天气": {"城市": "string", "e": "string"},
    "geo.v2.find": {"q": "string"},
    "w": {"t": "string"},
}
TOOLS = tuple(
    Tool(name, name, {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}})
    for name, properties in PARAMETERS.items()
)
"""What the examples call: some parsers leave out calls of other tools, some need the types of values."""

MARK = re.compile(
    r"<\|[^<>|]+\|>|<｜[^<>｜]+｜>|\[/?(?:TOOL_CALLS|ARGS|CALL_ID|THINK)\]|</?(?:think|tool_calls?|tool_sep|arg_key|arg_value)(?::\w+)?>"
    r"|｜DSML｜"
    r"|<(?:start|end)_function_call>|<escape>|<\|(?:tool_call|channel|\")(?:>|\|>)|<(?:tool_call|channel)\|>"
)
"""Marks that are one token each."""


class Read(NamedTuple):
    """What a text says: calls as name and arguments, what is said beside them, and the thinking."""

    calls: list[tuple[str, Any]]
    content: str
    reasoning: str


Parse = Callable[[str], Read]


class Tokens:
    """As much of a tokenizer as the parsers ask for: a token for every mark, and one for every other character."""

    def __init__(self, marks: set[str]) -> None:
        self.vocab = {mark: sys.maxunicode + 1 + number for number, mark in enumerate(sorted(marks))}
        special = {mark: token for mark, token in self.vocab.items() if mark != "｜DSML｜"}
        self.all_special_tokens = [*special]
        self.all_special_ids = [*special.values()]
        self.init_kwargs = {"token_suffix": ":opensource" if "<tool_call:opensource>" in marks else ""}  # Hunyuan 3

    def get_vocab(self) -> dict[str, int]:
        return self.vocab

    def encode(self, text: str, **_options: Any) -> list[int]:
        pieces = re.split(f"({MARK.pattern})", text)
        return [
            token for piece in pieces for token in ([self.vocab[piece]] if piece in self.vocab else map(ord, piece))
        ]

    def decode(self, tokens: list[int], **_options: Any) -> str:
        marks = {token: mark for mark, token in self.vocab.items()}
        return "".join(marks.get(token) or chr(token) for token in tokens)


class HarmonyTokens(Tokens):
    """gpt-oss's own, by OpenAI's package, which loads its vocabulary (or TIKTOKEN_ENCODINGS_BASE names its folder)."""

    def __init__(self, marks: set[str]) -> None:
        super().__init__(marks)
        harmony = importlib.import_module("openai_harmony")
        self._own = harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)

    def encode(self, text: str, **_options: Any) -> list[int]:
        tokens: list[int] = self._own.encode(text, allowed_special="all")
        return tokens

    def decode(self, tokens: list[int], **_options: Any) -> str:
        return str(self._own.decode(tokens))


class VLLM:
    """The parsers of vLLM, as its server calls them."""

    def __init__(self) -> None:
        self._protocol = importlib.import_module("vllm.entrypoints.openai.chat_completion.protocol")
        self._parsers = importlib.import_module("vllm.parser.parser_manager").ParserManager
        self.names = {
            "tool": set(importlib.import_module("vllm.tool_parsers").ToolParserManager.list_registered()),
            "reasoning": set(importlib.import_module("vllm.reasoning").ReasoningParserManager.list_registered()),
        }

    def read(self, text: str, parsing: Parsing, tokens: Tokens) -> Read:
        request = self._protocol.ChatCompletionRequest(
            model="", messages=[{"role": "user", "content": "?"}], tools=[tool.wire() for tool in TOOLS]
        )
        parser = self._parsers.get_parser(parsing.tool, parsing.reasoning or None, enable_auto_tools=True)
        reasoning, content, calls = parser(tokens, request.tools).parse(
            text, request, enable_auto_tools=True, model_output_token_ids=tokens.encode(text)
        )
        return Read([_call(call.name, call.arguments) for call in calls or []], content or "", reasoning or "")


class SGLang:
    """The parsers of SGLang, as its server calls them."""

    def __init__(self) -> None:
        self._calls = importlib.import_module("sglang.srt.function_call.function_call_parser").FunctionCallParser
        self._thinking = importlib.import_module("sglang.srt.parser.reasoning_parser").ReasoningParser
        protocol = importlib.import_module("sglang.srt.entrypoints.openai.protocol")
        self._tools = [protocol.Tool(**tool.wire()) for tool in TOOLS]
        self.names = {"tool": set(self._calls.ToolCallParserEnum), "reasoning": set(self._thinking.DetectorMap)}

    def read(self, text: str, parsing: Parsing, _tokens: Tokens) -> Read:
        reasoning, calls = "", []
        if parsing.reasoning:
            opened_by_template = not re.search(r"<think>|\[THINK\]", text)
            thinking = self._thinking(parsing.reasoning, False, opened_by_template or None)
            reasoning, text = thinking.parse_non_stream(text)
        parser = self._calls(self._tools, parsing.tool)
        if text and parser.has_tool_call(text):
            text, calls = parser.parse_non_stream(text)
        return Read([_call(call.name, call.parameters) for call in calls], text or "", reasoning or "")


ENGINES: dict[str, Callable[[], VLLM | SGLang]] = {"vllm": VLLM, "sglang": SGLang}


def _call(name: str | None, arguments: str) -> tuple[str, Any]:
    try:
        return name or "", json.loads(arguments)
    except ValueError:
        return name or "", arguments


def ours(text: str, dialect: str) -> Read:
    parsed = DIALECTS[dialect].parse(text, TOOLS)
    calls = [_call(call.name, call.arguments) for call in parsed.calls]
    return Read(calls, parsed.content or "", parsed.reasoning or "")


def examples(dialect: str) -> Iterator[tuple[str, str]]:
    """Names and texts: the situations of every dialect, and what its family also writes."""
    for name in SITUATIONS:
        yield name, situation(name, EXAMPLES[dialect])[0]
    for kind in ("tolerated", "refused"):
        own = [text for text, *_ in getattr(EXAMPLES[dialect], kind)]
        yield from ((f"{kind} {number}", text) for number, text in enumerate(own, 1))


def difference(theirs: Read, mine: Read) -> str:
    """What differs, in a word or two; "=" for nothing."""
    found = []
    if len(theirs.calls) != len(mine.calls):
        found.append(f"{len(theirs.calls)}/{len(mine.calls)} calls")
    elif theirs.calls != mine.calls:
        found.append("arguments")
    for name, one, other in (
        ("content", theirs.content, mine.content),
        ("reasoning", theirs.reasoning, mine.reasoning),
    ):
        if one.split() != other.split():
            found.append(name)
    return ", ".join(found) or "="


def compare(dialect: str, engine: VLLM | SGLang, parsing: Parsing, *, texts: bool) -> None:
    """Print how an engine reads a dialect's examples. texts: show both readings where they differ."""
    known = {mark for name in SITUATIONS for mark in MARK.findall(situation(name, EXAMPLES[dialect])[0])}
    for name, text in examples(dialect):
        thinks = re.search(r"</?think>|\[/?THINK\]|<\|?channel", text)
        if thinks and not parsing.reasoning:
            print(f"  {name:22} -")
            continue
        chosen = parsing if thinks else Parsing(parsing.tool)
        mine = ours(text, dialect)
        try:
            tokens = (HarmonyTokens if dialect == "gpt-oss" else Tokens)(known | {*MARK.findall(text)})
            theirs = engine.read(text, chosen, tokens)
        except Exception as error:  # a parser of theirs that stumbles is a finding, too
            print(f"  {name:22} {type(error).__name__}: {error}")
            continue
        print(f"  {name:22} {(found := difference(theirs, mine))}")
        if texts and found != "=":
            print(f"      text   {text!r}\n      theirs {tuple(theirs)}\n      ours   {tuple(mine)}")


def unknown_names(name: str, engine: VLLM | SGLang) -> Iterator[str]:
    """The parsers that `toolgauge serve` asks for and the engine does not have."""
    for family in FAMILIES:
        parsing = family.parsing(name) or Parsing("")
        for kind, parser in (("tool", parsing.tool), ("reasoning", parsing.reasoning)):
            if parser and parser not in engine.names[kind]:
                yield f"{family.name}: no {kind} parser {parser}"


def main() -> None:
    options = argparse.ArgumentParser(description="Compare the parsers of the engines installed here with ours.")
    options.add_argument("dialects", nargs="*", metavar="DIALECT", help="some of: " + ", ".join(MODELS))
    options.add_argument("--texts", action="store_true", help="show the texts that are read differently")
    chosen = options.parse_args()
    logging.disable(logging.CRITICAL)
    installed = [name for name in ENGINES if importlib.util.find_spec(name)]
    if not installed:
        sys.exit("neither vllm nor sglang is installed here: see the beginning of this file")
    for name in installed:
        engine = ENGINES[name]()
        print(f"{name} {importlib.metadata.version(name)}")
        for unknown in unknown_names(name, engine):
            print(unknown)
        for dialect in chosen.dialects or MODELS:
            family = family_of(MODELS[dialect])
            parsing = family.parsing(name) if family else None
            if parsing is None:
                print(f"\n{dialect}: {name} has no parser for it")
                continue
            print(f"\n{dialect}: {parsing.tool}" + (f" + {parsing.reasoning}" if parsing.reasoning else ""))
            compare(dialect, engine, parsing, texts=chosen.texts)


if __name__ == "__main__":
    main()
