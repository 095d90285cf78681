"""Families of models by their names: the dialect that they write, the ids of calls that they expect, and the parsers
with which engines read them. Nothing but data, and how a name is looked up.

Sources, read in November 2026: vLLM's pages "Tool Calling" and "Reasoning Outputs" and its registries
(vllm/tool_parsers, vllm/reasoning); SGLang's pages "Tool Parser" and "Reasoning Parser" and its registries
(srt/function_call, srt/parser); the parsing templates in transformers 5.23's `serve`. `serve --print` shows a row;
perf/engine_parsers.py holds the names against the registries of the engines that are installed.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

Ids = Literal["any", "nine", "functions"]


class Parsing(Struct, frozen=True):
    """What an engine is told so that a family's calls arrive as calls.

    tool, reasoning: names of the engine's parsers; "" where it reads them without being told.
    template: a chat template among the engine's examples that its documentation recommends for the family.
    """

    tool: str
    reasoning: str = ""
    template: str = ""


class ModelFamily(Struct, frozen=True, kw_only=True):
    """Models that write calls in one way.

    pattern: what the last part of their names begins with (a regular expression, lower case). dialect: "" where models
    of like names write differently. vllm, sglang, transformers: None where the engine gives the calls as text. ids: of
    calls, as the family wants to see its earlier ones: "functions" is functions.NAME:N, N counting the calls of the
    conversation; "nine" is nine letters and digits.
    """

    name: str
    pattern: str
    dialect: str = ""
    vllm: Parsing | None = None
    sglang: Parsing | None = None
    transformers: Parsing | None = None
    ids: Ids = "any"

    def parsing(self, engine: str) -> Parsing | None:
        """What an engine is told; llama.cpp needs no word."""
        return {"vllm": self.vllm, "sglang": self.sglang, "transformers": self.transformers}.get(engine)


def _both(
    name: str,
    pattern: str,
    dialect: str,
    vllm: str,
    sglang: str = "",
    thinks: str = "",
    transformers: Parsing | None = None,
    ids: Ids = "any",
    template: str = "",
) -> ModelFamily:
    """A family that both engines read. sglang: "" for the same name; thinks: the reasoning parsers, "vllm/sglang" where
    they differ; template: the name in that of the file, where both engines' documentation recommends one of theirs."""
    ours, _slash, theirs = thinks.partition("/")
    file = _template_file(template)
    return ModelFamily(
        name=name,
        pattern=pattern,
        dialect=dialect,
        vllm=Parsing(vllm, ours, file),
        sglang=Parsing(sglang or vllm, theirs or ours, file),
        transformers=transformers,
        ids=ids,
    )


def _vllm(name: str, pattern: str, dialect: str, parser: str, thinks: str = "", template: str = "") -> ModelFamily:
    """A family that vLLM alone reads."""
    parsing = Parsing(parser, thinks, _template_file(template))
    return ModelFamily(name=name, pattern=pattern, dialect=dialect, vllm=parsing)


def _template_file(name: str) -> str:
    return f"tool_chat_template_{name}.jinja" if name else ""


_TOLD = Parsing("")
"""Its server reads the tags of Qwen and Gemma 4 by the kind of model, without being told."""
_CODER = "qwen3-coder"

FAMILIES: tuple[ModelFamily, ...] = (
    _both("Qwen3-Coder", r"qwen3-coder", _CODER, "qwen3_xml", "qwen3_coder"),
    _both("Qwen3.5 on", r"qwen3\.\d", _CODER, "qwen3_coder", thinks="qwen3", transformers=_TOLD),
    _both("Qwen3, without thinking", r"qwen3-(\d|next|vl).*-instruct", "hermes", "hermes", "qwen", transformers=_TOLD),
    _both("Qwen3", r"qwen3-(\d|next|vl)", "hermes", "hermes", "qwen", thinks="qwen3", transformers=_TOLD),
    _both("QwQ", r"qwq-", "hermes", "hermes", "qwen", thinks="deepseek_r1/deepseek-r1", transformers=_TOLD),
    # its models were trained on Qwen 2.5's template and write bare JSON or code blocks nevertheless
    _both("Qwen2.5-Coder", r"qwen2\.5-coder-.*instruct", "", "hermes", "qwen"),
    _both("Qwen2.5", r"qwen2\.5-\d.*instruct", "hermes", "hermes", "qwen", transformers=_TOLD),
    _both("Hermes 2 Pro, 3, 4", r"(nous-)?hermes-?(2-pro|2-theta|3|4(\.\d)?)-", "hermes", "hermes"),
    ModelFamily(
        name="Llama 3.1, 3.3",
        pattern=r"(meta-)?llama-?3\.[13](-.*instruct|$)",
        dialect="llama3-json",
        vllm=Parsing("llama3_json", template="tool_chat_template_llama3.1_json.jinja"),
        sglang=Parsing("llama3"),
    ),
    ModelFamily(
        name="Llama 3.2",
        pattern=r"(meta-)?llama-?3\.2-.*instruct",
        vllm=Parsing("llama3_json", template="tool_chat_template_llama3.2_json.jinja"),
        sglang=Parsing("llama3"),
    ),
    _both("Llama 4", r"llama-4-.*instruct", "llama-pythonic", "llama4_pythonic", "pythonic",
          template="llama4_pythonic"),
    _both("Devstral 2", r"devstral-(small-)?2-", "mistral", "mistral", ids="nine"),
    _both("Magistral, Ministral 3 Reasoning", r"magistral-|ministral-3-.*-reasoning", "mistral", "mistral",
          thinks="mistral", ids="nine"),
    _both("Mistral", r"(mi(ni)?stral|devstral|codestral|mathstral)-.*instruct|(mistral|devstral)-(small|medium|large)",
          "mistral", "mistral", ids="nine"),
    _both("Granite 4.2", r"granite-?4\.[2-9]-", _CODER, "qwen3_coder", thinks="granite_thinking_parser"),
    _both("Nemotron 3", r"(nvidia-)?nemotron-3-(nano|super)-", _CODER, "qwen3_coder",
          thinks="nemotron_v3/nemotron_3"),
    _vllm("Nemotron Nano 2", r"(nvidia-)?nemotron-nano-\d+b-v2", "", "nemotron_json"),
    _vllm("Granite 4.0, 4.1", r"granite-?4(\.[01])?-", "granite4", "granite4"),
    _vllm("Granite 3.0", r"granite-?3\.0-.*instruct", "granite", "granite", template="granite"),
    _vllm("Granite 3.1 to 3.3", r"granite-?3\.\d-\d+b(-a\d+m)?($|-instruct)", "granite", "granite"),
    _vllm("Granite 20B for functions", r"granite-20b-functioncalling", "granite", "granite-20b-fc",
          template="granite_20b_fc"),
    _vllm("Hunyuan A13B", r"hunyuan-a13b-instruct", "hunyuan", "hunyuan_a13b", "hunyuan_a13b"),  # SGLang reads 3 only
    _both("Hunyuan 3", r"hy3(-|$)", "hunyuan3", "hy_v3", "hunyuan", thinks="hy_v3/hunyuan"),
    _vllm("xLAM 2 on Llama", r"llama-xlam-2-", "xlam2", "xlam", template="xlam_llama"),
    _vllm("xLAM 2 on Qwen", r"xlam-2-", "xlam2", "xlam", template="xlam_qwen"),
    _vllm("ToolACE", r"toolace-(8b|2)", "toolace", "pythonic", template="toolace"),
    ModelFamily(name="watt-tool", pattern=r"watt-tool-", dialect="watt"),
    ModelFamily(name="Hammer 2.1", pattern=r"hammer2\.\d-", dialect="hammer"),
    _both("DeepSeek V3.1", r"deepseek-v3\.1", "deepseek-v3.1", "deepseek_v31", "deepseekv31", template="deepseekv31"),
    _both("DeepSeek V3.2", r"deepseek-v3\.[2-9]", "deepseek-v3.2", "deepseek_v32", "deepseekv32",
          thinks="deepseek_v3/deepseek-v3"),
    _both("DeepSeek V3", r"deepseek-v3(-|$)", "deepseek-v3", "deepseek_v3", "deepseekv3", template="deepseekv3"),
    _both("DeepSeek V4", r"deepseek-v4", "deepseek-v4", "deepseek_v4", "deepseekv4",
          thinks="deepseek_v4/deepseek-v4"),
    _both("DeepSeek R1 0528", r"deepseek-r1(-0528)?($|-(?!distill|\d))", "deepseek-v3", "deepseek_v3", "deepseekv3",
          thinks="deepseek_r1/deepseek-r1", template="deepseekr1"),
    ModelFamily(name="DeepSeek-Coder-V2", pattern=r"deepseek-coder-v2-.*instruct", dialect="generic"),
    _both("GLM 4.5, 4.6", r"glm-4\.[56]", "glm4.5", "glm45", "glm", thinks="glm45"),
    _both("GLM 4.7 on", r"glm-(4\.[7-9]|[5-9])", "glm4.5", "glm47", thinks="glm45"),
    _both("Kimi K2, without thinking", r"kimi-k2-instruct", "kimi", "kimi_k2", ids="functions"),
    _both("Kimi K2, with thinking", r"kimi-k2(-thinking|\.\d)", "kimi", "kimi_k2", thinks="kimi_k2", ids="functions"),
    _both("Kimi K2 at endpoints", r"kimi-k2(-|$)", "kimi", "kimi_k2", ids="functions"),
    _both("Kimi K3", r"kimi-k3", "", "kimi_k3", thinks="kimi_k3"),
    _both("gpt-oss", r"gpt-oss-\d+b", "gpt-oss", "openai", "gpt-oss", thinks="openai_gptoss/gpt-oss"),
    _both("LFM2.5 with thinking", r"lfm2\.5-(8b-a1b|2\.6b|.*thinking)", "lfm2.5", "lfm2", thinks="qwen3"),
    _both("LFM2.5", r"lfm2\.5-\d", "lfm2.5", "lfm2"),
    _both("LFM2", r"lfm2-\d", "lfm2", "lfm2"),
    _both("Gemma 4", r"gemma-?4-.*(-it|-instruct)", "gemma4", "gemma4", thinks="gemma4", transformers=_TOLD),
    _vllm("FunctionGemma", r"functiongemma", "functiongemma", "functiongemma", template="functiongemma"),
    ModelFamily(name="Gemma 2, 3, 3n", pattern=r"gemma-?[23]n?-.*(-it|-instruct)", dialect="gemma"),
    _vllm("Phi-4 mini", r"phi-?4-mini(-instruct|-\d|$)", "phi4-mini", "phi4_mini_json", template="phi4_mini"),
    ModelFamily(name="Phi-3 mini", pattern=r"phi-?3(\.5)?-mini-.*instruct", dialect="generic"),
    ModelFamily(name="MiniCPM3", pattern=r"minicpm3-", dialect="generic"),
    _both("MiniCPM 5", r"minicpm-?5", "", "minicpm5"),
    _both("MiniMax M2", r"minimax-m2", "minimax-m2", "minimax_m2", "minimax-m2", thinks="minimax_m2/minimax"),
    _both("MiniMax M3", r"minimax-m3", "", "minimax_m3", "minimax-m3", thinks="minimax_m3/minimax-m3"),
    _vllm("Seed-OSS", r"seed-oss-.*instruct", "seed-oss", "seed_oss", "seed_oss"),
    _both("Step 3.5", r"step-?3\.[5-9]", _CODER, "step3p5", thinks="step3p5"),
    _both("Step 3", r"step-?3(-|$)", "", "step3", thinks="step3"),
    _vllm("ERNIE 4.5 Thinking", r"ernie-4\.5-.*-thinking", "", "ernie45", "ernie45"),
    _both("MiMo V2", r"mimo-v2", _CODER, "mimo", thinks="mimo"),
    _vllm("LongCat Flash", r"longcat-flash", "", "longcat"),
    _both("Apertus", r"apertus-.*instruct", "", "apertus", "apertus2509"),
    _vllm("Command A Reasoning", r"command-a-reasoning-", "", "cohere_command3", "cohere_command3"),
    _vllm("Jamba 1.5", r"ai21-jamba-1\.5-", "", "jamba"),
    _vllm("InternLM 2.5", r"internlm2_5-", "", "internlm", template="internlm2_tool"),
    _vllm("Olmo 3 Think", r"olmo-3-.*-think", "", "olmo3", "olmo3"),
    _vllm("Olmo 3", r"olmo-3-.*-instruct", "", "olmo3"),
)  # fmt: skip
"""The first that claims a name is its family."""

_NOT_CHAT = re.compile(
    r"-(base|pt|embed\w*|embedding|rerank\w*|guard\w*|reward|rm|draft|eagle\d?|dspark|distill|coder-v1)(-|$)"
)
"""Words in names of models that hold no conversations, or write like another family."""
_QUANTISED = re.compile(
    r"(?:[-._](?:ud-|i1-)?(?:i?q\d\w{0,16}|tq\d\w{0,16}|bf16|fp?16|f32|mxfp4\w{0,16}))?(?:-\d{5}-of-\d{5})?(?:-i1)?(?:[-.]gguf)?$"
)
"""What the names of GGUF files have behind the model's: the quantisation, the number of the part."""
_MAKER = re.compile(
    r"(?:deepseek-ai|google|ibm-granite|liquidai|madeagents|meta-llama|microsoft|mistralai|moonshotai|nousresearch"
    r"|openai|qwen|salesforce|team-ace|tencent|thudm|watt-ai|zai-org)_"
)
"""What repackers put before it."""
_NAMELESS = re.compile(r"(?:ggml-)?model|main|weights|")
"""Names of files that leave it to their folder to say whose they are."""


def bare_name(model: str) -> str:
    """The last part of a model's name in lower case, without what GGUF files and Ollama's tags add to it.

    "models/Qwen2.5-7B-Instruct-Q4_K_M.gguf" and "qwen2.5:7b" are "qwen2.5-7b-instruct" and "qwen2.5-7b"; of
    "Qwen3-8B-GGUF/model.gguf" it is "qwen3-8b".
    """
    *folders, last = model.strip().rstrip("/").lower().replace("\\", "/").rsplit("/", 2)
    base = _without_quantisation(last)
    if folders and base != last and _NAMELESS.fullmatch(base):
        base = _without_quantisation(folders[-1])
    return _MAKER.sub("", base, count=1)


def _without_quantisation(name: str) -> str:
    return _QUANTISED.sub("", name.strip().replace(":", "-"), count=1)


def family_of(model: str) -> ModelFamily | None:
    """The family that a model's name (or its folder's) implies; None if it implies none.

    model: as `-m` takes it or as its makers name it: "openai/Qwen/Qwen2.5-7B-Instruct", "qwen2.5:7b". Names in Ollama's
    library, which have a colon, do not say that a model was taught to follow instructions.
    """
    base = bare_name(model)
    if _NOT_CHAT.search(base):
        return None
    names = [base, f"{base}-instruct"] if ":" in model.rpartition("/")[2] else [base]
    return next((family for name in names for family in FAMILIES if re.match(family.pattern, name)), None)
