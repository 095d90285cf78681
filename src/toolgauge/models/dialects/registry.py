"""Every dialect by name, and which one a model's name tells."""

from __future__ import annotations

import re

from toolgauge.errors import UsageError
from toolgauge.models.dialects.ace_dialect import ACE
from toolgauge.models.dialects.deepseek import DEEPSEEK_R1, DEEPSEEK_V3, DEEPSEEK_V31
from toolgauge.models.dialects.dialect import Dialect
from toolgauge.models.dialects.dsml import DEEPSEEK_V4, DEEPSEEK_V32
from toolgauge.models.dialects.function_gemma import FUNCTION_GEMMA, GEMMA4
from toolgauge.models.dialects.functionary import FUNCTIONARY
from toolgauge.models.dialects.gemma import GEMMA
from toolgauge.models.dialects.glm import GLM4, GLM45
from toolgauge.models.dialects.harmony import GPT_OSS
from toolgauge.models.dialects.hunyuan3 import HUNYUAN3, HUNYUAN3_PREVIEW
from toolgauge.models.dialects.json_block import GENERIC, HAMMER, LLAMA3, XLAM, XLAM2
from toolgauge.models.dialects.kimi import KIMI
from toolgauge.models.dialects.lfm2 import LFM2, LFM25
from toolgauge.models.dialects.mistral import MISTRAL
from toolgauge.models.dialects.pythonic import GORILLA, LLAMA_PYTHONIC, TOOLACE, TOOLACE2, WATT
from toolgauge.models.dialects.qwen_coder import QWEN3_CODER
from toolgauge.models.dialects.tag_json import GRANITE, GRANITE4, HERMES, HUNYUAN, PHI4, QWEN3
from toolgauge.options import guess

AUTO = "auto"
"""What `--dialect` takes for the one that the model's name tells."""

_ALL: tuple[Dialect, ...] = (
    HERMES,
    QWEN3,
    QWEN3_CODER,
    LLAMA3,
    LLAMA_PYTHONIC,
    DEEPSEEK_V3,
    DEEPSEEK_V31,
    DEEPSEEK_R1,
    DEEPSEEK_V32,
    DEEPSEEK_V4,
    KIMI,
    GLM4,
    GLM45,
    MISTRAL,
    GRANITE,
    GRANITE4,
    PHI4,
    HUNYUAN,
    HUNYUAN3,
    HUNYUAN3_PREVIEW,
    XLAM,
    XLAM2,
    HAMMER,
    TOOLACE,
    TOOLACE2,
    WATT,
    GORILLA,
    FUNCTIONARY,
    LFM2,
    LFM25,
    GEMMA,
    FUNCTION_GEMMA,
    GEMMA4,
    GPT_OSS,
    ACE,
    GENERIC,
)
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _ALL}
"""Name -> dialect, in the order of the documentation."""

ALIASES: dict[str, str] = {
    "qwen": "hermes",
    "qwen2.5": "hermes",
    "qwen25": "hermes",
    "qwen3_json": "hermes",
    "qwen3_coder": "qwen3-coder",
    "qwen3_xml": "qwen3-coder",
    "qwen3.5": "qwen3-coder",
    "qwen3.6": "qwen3-coder",
    "phi4_mini_json": "phi4-mini",
    "phi4": "phi4-mini",
    "tool_code": "gemma",
    "gemma2": "gemma",
    "gemma3": "gemma",
    "gemma3n": "gemma",
    "llama3": "llama3-json",
    "llama3_json": "llama3-json",
    "hunyuan_a13b": "hunyuan",
    "hy_v3": "hunyuan3",
    "hy3": "hunyuan3",
    "hy3-preview": "hunyuan3-preview",
    "hammer": "hammer2.1",
    "pythonic": "llama-pythonic",
    "llama4": "llama-pythonic",
    "llama4_pythonic": "llama-pythonic",
    "deepseek_v3": "deepseek-v3",
    "deepseekv3": "deepseek-v3",
    "deepseek_v31": "deepseek-v3.1",
    "deepseekv31": "deepseek-v3.1",
    "deepseek_r1": "deepseek-r1",
    "deepseek_v32": "deepseek-v3.2",
    "deepseekv32": "deepseek-v3.2",
    "deepseek_v4": "deepseek-v4",
    "deepseekv4": "deepseek-v4",
    "kimi_k2": "kimi",
    "kimi-k2": "kimi",
    "chatglm": "glm4",
    "glm": "glm4.5",
    "glm45": "glm4.5",
    "glm47": "glm4.5",
    "toolace-2": "toolace2",
    "watt-tool": "watt",
    "openfunctions": "gorilla",
    "functionary": "functionary3.1",
    "harmony": "gpt-oss",
    "gptoss": "gpt-oss",
    "openai_gptoss": "gpt-oss",
    "acebench": "ace",
    "prompt": "generic",
}
"""Other names, as people and the parsers of vLLM and SGLang use them -> name."""


def find_dialect(name: str) -> Dialect:
    """The dialect of this name or alias, in any case; raises UsageError."""
    wanted = name.strip().lower()
    wanted = ALIASES.get(wanted, wanted)
    if wanted in DIALECTS:
        return DIALECTS[wanted]
    meant = guess(wanted, [*DIALECTS, *ALIASES]) or "."
    raise UsageError(f"--dialect: unknown dialect '{name}'{meant} Choose one of {', '.join([AUTO, *DIALECTS])}")


def choose_dialect(name: str, model: str) -> Dialect:
    """The dialect of this name, or of the model's where the name is "auto"; raises UsageError."""
    if name.strip().lower() != AUTO:
        return find_dialect(name)
    told = dialect_for(model)
    if told is None:
        raise UsageError(
            f"--dialect {AUTO}: no dialect known for model '{model}'; choose one (generic works with any chat model): "
            f"{', '.join(DIALECTS)}"
        )
    return DIALECTS[told]


_QUANTISED = re.compile(
    r"(?:[-._](?:ud-|i1-)?(?:i?q\d\w{0,16}|tq\d\w{0,16}|bf16|fp?16|f32|mxfp4\w{0,16}))?(?:-\d{5}-of-\d{5})?(?:-i1)?(?:[-.]gguf)?$"
)
"""What the names of GGUF files have behind the model's: the quantisation, the number of the part."""
_MAKER = re.compile(
    r"(?:deepseek-ai|google|ibm-granite|liquidai|madeagents|meetkai|meta-llama|microsoft|mistralai|moonshotai|nousresearch"
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


def dialect_for(model: str) -> str | None:
    """The dialect that a model's name implies; None if that is not certain.

    model: as `-m` takes it or as its makers name it: "openai/Qwen/Qwen2.5-7B-Instruct", "qwen2.5:7b". Names in Ollama's
    library, which have a colon, do not say that a model was taught to follow instructions. A name that several dialects
    claim is not sure.
    """
    base = bare_name(model)
    names = {base, f"{base}-instruct"} if ":" in model.rpartition("/")[2] else {base}
    claims = [
        name
        for name, dialect in DIALECTS.items()
        if any(re.fullmatch(known, one) for known in dialect.models for one in names)
    ]
    return claims[0] if len(claims) == 1 else None
