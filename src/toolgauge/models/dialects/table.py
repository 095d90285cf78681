"""Every dialect, a row for each: how tools are announced, how calls are written and found, how results are sent."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from toolgauge.errors import UsageError
from toolgauge.models.dialects import notations
from toolgauge.models.dialects.calls import write_json
from toolgauge.models.dialects.dialect import (
    Dialect,
    as_list,
    as_objects,
    between,
    function_lines,
    functions,
    named_results,
    tool_blocks,
    tool_list,
)
from toolgauge.models.dialects.harmony import harmony_results, parse_harmony, render_harmony
from toolgauge.models.dialects.pythonic import parse_lists, render_python
from toolgauge.models.dialects.tagged import CODER
from toolgauge.models.dialects.typescript import namespace
from toolgauge.models.families import family_of
from toolgauge.options import guess

_LFM2 = Dialect(
    name="lfm2",
    title="LFM2",
    prompt="lfm2",
    parse_calls=notations.parse_lfm,
    calls=notations.lfm_calls,
    tools=functions,
    call_mark=r"<\|tool_call_start\|>",
    results_in="tool_each",
)
_ALL = (
    Dialect(
        name="hermes",
        title="Hermes 2 Pro to 4, Qwen 2.5, Qwen 3, QwQ",
        prompt="hermes",
        parse_calls=notations.HERMES.parse,
        calls=notations.hermes_calls,
        results=notations.hermes_results,
        call_mark="<tool_call>",
    ),
    Dialect(
        name="qwen3-coder",
        title="Qwen3-Coder, Qwen 3.5 on, Granite 4.2, Nemotron 3",
        prompt="qwen3-coder",
        parse_calls=CODER.parse,
        calls=notations.coder_calls,
        results=notations.hermes_results,
        call_mark="<tool_call>",
        texts="plain",
    ),
    Dialect(
        name="llama3-json",
        title="Llama 3.1 and 3.3 (JSON)",
        prompt="llama3",
        parse_calls=notations.LLAMA.parse,
        calls=lambda calls: "; ".join(write_json(call) for call in as_objects(calls, "parameters")),
        tools=tool_blocks,
        place="first_user",
        results_in="tool_each",
    ),
    Dialect(
        name="llama-pythonic",
        title="Llama 3.2 and 4 (Python-like)",
        prompt="llama-pythonic",
        parse_calls=notations.parse_llama_list,
        calls=render_python,
        tools=tool_blocks,
        results_in="tool_each",
    ),
    Dialect(
        name="toolace",
        title="ToolACE and ToolACE 2",
        prompt="toolace",
        parse_calls=notations.parse_toolace,
        calls=render_python,
        tools=functions,
        results=named_results,
        results_in="tool",
    ),
    Dialect(
        name="watt",
        title="watt-tool 8B and 70B",
        prompt="toolace",
        parse_calls=parse_lists,
        calls=render_python,
        tools=functions,
        results_in="tool_each",
    ),
    Dialect(
        name="hammer",
        title="Hammer 2.1",
        prompt="hammer",
        parse_calls=notations.HAMMER.parse,
        calls=lambda calls: f"```\n{as_list(calls)}\n```",
        tools=functions,
        place="own_user",
        results_in="tool_each",
    ),
    Dialect(
        name="mistral",
        title="Mistral 7B v0.3, Nemo, Small, Large, Ministral, Magistral, Devstral",
        prompt="mistral",
        parse_calls=notations.parse_mistral,
        calls=notations.mistral_calls,
        tools=tool_list,
        results=notations.mistral_results,
        thought=(r"\[THINK\]", r"\[/THINK\]"),
        call_mark=r"\[TOOL_CALLS\]",
        place="last_user",
        alternating=True,
    ),
    Dialect(
        name="granite",
        title="Granite 3.0 to 3.3, Granite 20B function calling",
        prompt="granite",
        parse_calls=notations.parse_granite,
        calls=lambda calls: f"<|tool_call|>{as_list(calls)}",
        tools=tool_blocks,
        results_in="tool_each",
    ),
    Dialect(
        name="granite4",
        title="Granite 4.0 and 4.1",
        prompt="hermes",
        parse_calls=notations.GRANITE4.parse,
        calls=notations.hermes_calls,
        results=notations.hermes_results,
    ),
    Dialect(
        name="phi4-mini",
        title="Phi-4 mini",
        prompt="phi4-mini",
        parse_calls=notations.PHI4.parse,
        calls=lambda calls: f"<|tool_call|>{as_list(calls)}<|/tool_call|>",
        tools=functions,
        results=between("<|tool_response|>", ""),
    ),
    Dialect(
        name="hunyuan",
        title="Hunyuan A13B",
        prompt="hunyuan",
        parse_calls=notations.parse_hunyuan,
        calls=lambda calls: f"<tool_calls>{as_list(calls)}</tool_calls>",
        tools=tool_list,
        results=between("<tool_response>", "</tool_response>", gap=""),
        call_mark="<tool_calls>",
    ),
    Dialect(
        name="hunyuan3",
        title="Hunyuan 3",
        prompt="hunyuan3",
        parse_calls=notations.HUNYUAN3.parse,
        calls=notations.hunyuan3_calls,
        tools=notations.hunyuan3_tools,
        results=notations.hunyuan3_results,
        call_mark=r"<tool_calls(?::[\w-]{1,32})?>",
        gap="",
        texts="plain",
    ),
    Dialect(
        name="xlam2",
        title="xLAM 2",
        prompt="xlam2",
        parse_calls=notations.XLAM2.parse,
        calls=as_list,
        tools=tool_blocks,
        results_in="tool_each",
    ),
    Dialect(
        name="deepseek-v3",
        title="DeepSeek V3 and R1",
        prompt="deepseek-v3",
        parse_calls=notations.DEEPSEEK.parse,
        calls=notations.deepseek_v3_calls,
        results_in="tool_each",
    ),
    Dialect(
        name="deepseek-v3.1",
        title="DeepSeek V3.1",
        prompt="deepseek-v3.1",
        parse_calls=notations.DEEPSEEK.parse,
        calls=notations.deepseek_v31_calls,
        tools=notations.deepseek_v31_tools,
        results_in="tool_each",
    ),
    Dialect(
        name="deepseek-v3.2",
        title="DeepSeek V3.2",
        prompt="deepseek-v3.2",
        parse_calls=notations.DSML.parse,
        calls=partial(notations.dsml_calls, section="function_calls"),
        tools=function_lines,
        results=notations.function_results,
        call_mark="<｜DSML｜function_calls>",
        gap="\n\n",
    ),
    Dialect(
        name="deepseek-v4",
        title="DeepSeek V4 Flash and Pro",
        prompt="deepseek-v4",
        parse_calls=notations.DSML.parse,
        calls=partial(notations.dsml_calls, section="tool_calls"),
        tools=function_lines,
        results=between("<tool_result>", "</tool_result>", gap="\n\n"),
        call_mark="<｜DSML｜tool_calls>",
        gap="\n\n",
    ),
    Dialect(
        name="kimi",
        title="Kimi K2",
        prompt="kimi",
        parse_calls=notations.KIMI.parse,
        calls=notations.kimi_calls,
        tools=tool_list,
        results=notations.kimi_results,
        call_mark=r"<\|tool_calls_section_begin\|>",
        resolve=notations.resolve_kimi,
    ),
    Dialect(
        name="glm4.5",
        title="GLM 4.5 on",
        prompt="glm4.5",
        parse_calls=notations.GLM.parse,
        calls=notations.glm_calls,
        call_mark="<tool_call>",
        results_in="tool_each",
        texts="quoted",
    ),
    _LFM2,
    replace(_LFM2, name="lfm2.5", title="LFM2.5, with or without thinking", prompt="lfm2.5"),
    Dialect(
        name="gemma",
        title="Gemma 2, 3, 3n",
        prompt="gemma",
        parse_calls=notations.GEMMA.parse,
        calls=notations.gemma_calls,
        tools=functions,
        results=between("```tool_output\n", "\n```"),
        stop=("```tool_output",),
        alternating=True,
        system_role="user",
    ),
    Dialect(
        name="functiongemma",
        title="FunctionGemma",
        prompt="functiongemma",
        parse_calls=notations.FUNCTION_GEMMA.parse,
        calls=notations.FUNCTION_GEMMA.render,
        tools=notations.FUNCTION_GEMMA.tools,
        results=notations.FUNCTION_GEMMA.results,
        stop=("<start_function_response>",),
    ),
    Dialect(
        name="gemma4",
        title="Gemma 4",
        prompt="gemma4",
        parse_calls=notations.GEMMA4.parse,
        calls=notations.GEMMA4.render,
        tools=notations.GEMMA4.tools,
        results=notations.GEMMA4.results,
        thought=(r"<\|channel>thought", r"<channel\|>"),
        call_mark=r"<\|tool_call>",
        stop=("<|tool_response>",),
    ),
    Dialect(
        name="gpt-oss",
        title="gpt-oss 20B and 120B",
        prompt="gpt-oss",
        parse_calls=parse_harmony,
        calls=render_harmony,
        tools=namespace,
        results=harmony_results,
        thought=None,
        gap="<|end|>",
    ),
    Dialect(
        name="minimax-m2",
        title="MiniMax M2",
        prompt="minimax-m2",
        parse_calls=notations.MINIMAX.parse,
        calls=notations.minimax_calls,
        tools=notations.minimax_tools,
        results=between("<response>", "</response>"),
        call_mark="<minimax:tool_call>",
        results_in="tool",
        texts="plain",
    ),
    Dialect(
        name="seed-oss",
        title="Seed-OSS 36B",
        prompt="seed-oss",
        parse_calls=CODER.parse,
        calls=partial(notations.coder_calls, tag="seed:tool_call", line=""),
        thought=("<seed:think>", "</seed:think>"),
        call_mark="<seed:tool_call>",
        results_in="tool_each",
        texts="plain",
    ),
    Dialect(
        name="generic",
        title="any chat model (prompt of our own)",
        prompt="generic",
        parse_calls=notations.GENERIC.parse,
        calls=notations.generic_calls,
        results=notations.generic_results,
        alternating=True,
    ),
)
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _ALL}
"""Name -> dialect, in the order of the documentation."""
GENERIC = DIALECTS["generic"]

_OTHER_NAMES = {
    "hermes": "qwen qwen2.5 qwen25 qwen3 qwen3_json",
    "qwen3-coder": "qwen3_coder qwen3_xml qwen3.5 qwen3.6",
    "phi4-mini": "phi4_mini_json phi4",
    "gemma": "tool_code gemma2 gemma3 gemma3n",
    "llama3-json": "llama3 llama3_json",
    "hunyuan": "hunyuan_a13b",
    "hunyuan3": "hy_v3 hy3 hunyuan3-preview",
    "hammer": "hammer2.1",
    "llama-pythonic": "pythonic llama4 llama4_pythonic ace acebench",
    "toolace": "toolace2 toolace-2",
    "watt": "watt-tool",
    "deepseek-v3": "deepseek_v3 deepseekv3 deepseek-r1 deepseek_r1",
    "deepseek-v3.1": "deepseek_v31 deepseekv31",
    "deepseek-v3.2": "deepseek_v32 deepseekv32",
    "deepseek-v4": "deepseek_v4 deepseekv4",
    "kimi": "kimi_k2 kimi-k2",
    "glm4.5": "glm glm45 glm47",
    "gpt-oss": "harmony gptoss openai_gptoss",
    "minimax-m2": "minimax_m2",
    "seed-oss": "seed_oss",
    "generic": "prompt",
}
"""Name -> other names, as people, the parsers of vLLM and SGLang and earlier versions use them."""
ALIASES = {alias: name for name, aliases in _OTHER_NAMES.items() for alias in aliases.split()}

AUTO = "auto"
"""What `--dialect` takes for the one that the model's name tells."""


def find_dialect(name: str) -> Dialect:
    """The dialect of this name or alias, in any case; raises UsageError."""
    key = name.strip().lower()
    key = ALIASES.get(key, key)
    if key in DIALECTS:
        return DIALECTS[key]
    meant = guess(key, [*DIALECTS, *ALIASES]) or "."
    raise UsageError(f"--dialect: unknown dialect '{name}'{meant} Choose one of {', '.join([AUTO, *DIALECTS])}")


def choose_dialect(name: str, model: str) -> Dialect:
    """The dialect of this name, or of the model's where the name is "auto"; raises UsageError."""
    if name.strip().lower() != AUTO:
        return find_dialect(name)
    recommended = dialect_for(model)
    if recommended is None:
        raise UsageError(
            f"--dialect {AUTO}: no dialect known for model '{model}'; choose one (generic works with any chat model): "
            f"{', '.join(DIALECTS)}"
        )
    return DIALECTS[recommended]


def dialect_for(model: str) -> str | None:
    """The name of the dialect that a model's name implies; None if that is not certain."""
    family = family_of(model)
    return family.dialect or None if family else None
