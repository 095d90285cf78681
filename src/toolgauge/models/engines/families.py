"""Which parser, reasoning parser and chat template each engine wants for a family.

Sources, read in November 2026: vLLM's pages "Tool Calling" and "Reasoning Outputs" and the registries of vLLM 0.33.0
(vllm/tool_parsers, vllm/reasoning); SGLang's pages "Tool Parser" and "Reasoning Parser" and the registries of SGLang
0.5.23 (srt/function_call, srt/parser); the parsing templates in transformers 5.23's `serve`. docs/engines.md shows the
table; perf/engine_parsers.py holds the names against the registries of the engines that are installed.
"""

from __future__ import annotations

import re

from toolgauge.models.dialects.registry import bare_name, dialect_for
from toolgauge.models.engines.engine import EngineFamily, Parsing

_IN_TRANSFORMERS = Parsing("")
"""Its server reads the tags of Qwen and Gemma 4 by the kind of model, without being told."""

FAMILIES: tuple[EngineFamily, ...] = (
    EngineFamily(
        "Qwen3-Coder",
        {"vllm": Parsing("qwen3_xml"), "sglang": Parsing("qwen3_coder")},
        r"qwen3-coder-",
    ),
    EngineFamily(
        "Qwen3.5, Qwen3.6",
        {
            "vllm": Parsing("qwen3_coder", "qwen3"),
            "sglang": Parsing("qwen3_coder", "qwen3"),
            "transformers": _IN_TRANSFORMERS,
        },
        r"qwen3\.[56]-\d",
    ),
    EngineFamily(
        "Qwen3, without thinking",
        {"vllm": Parsing("hermes"), "sglang": Parsing("qwen"), "transformers": _IN_TRANSFORMERS},
        r"qwen3-(\d|next-).*-instruct",
    ),
    EngineFamily(
        "Qwen3",
        {
            "vllm": Parsing("hermes", "qwen3"),
            "sglang": Parsing("qwen", "qwen3"),
            "transformers": _IN_TRANSFORMERS,
        },
        r"qwen3-(\d|next-)",
    ),
    EngineFamily(
        "QwQ",
        {
            "vllm": Parsing("hermes", "deepseek_r1"),
            "sglang": Parsing("qwen", "deepseek-r1"),
            "transformers": _IN_TRANSFORMERS,
        },
        r"qwq-",
    ),
    EngineFamily(
        "Qwen2.5",
        {"vllm": Parsing("hermes"), "sglang": Parsing("qwen"), "transformers": _IN_TRANSFORMERS},
        r"qwen2\.5-\d",
    ),
    EngineFamily(
        "Hermes 2 Pro, 3, 4",
        {"vllm": Parsing("hermes"), "sglang": Parsing("hermes")},
        r"(nous-)?hermes-(2-pro|2-theta|3|4(\.\d)?)-",
    ),
    EngineFamily(
        "Llama 3.1, 3.3",
        {
            "vllm": Parsing("llama3_json", template="tool_chat_template_llama3.1_json.jinja"),
            "sglang": Parsing("llama3"),
        },
        r"(meta-)?llama-?3\.[13]-.*instruct",
    ),
    EngineFamily(
        "Llama 3.2",
        {
            "vllm": Parsing("llama3_json", template="tool_chat_template_llama3.2_json.jinja"),
            "sglang": Parsing("llama3"),
        },
        r"(meta-)?llama-?3\.2-.*instruct",
    ),
    EngineFamily(
        "Llama 4",
        {
            "vllm": Parsing("llama4_pythonic", template="tool_chat_template_llama4_pythonic.jinja"),
            "sglang": Parsing("pythonic", template="tool_chat_template_llama4_pythonic.jinja"),
        },
        r"llama-4-",
    ),
    EngineFamily(
        "Magistral, Ministral 3 Reasoning",
        {"vllm": Parsing("mistral", "mistral"), "sglang": Parsing("mistral", "mistral")},
        r"magistral-|ministral-3-.*-reasoning",
    ),
    EngineFamily("Mistral", {"vllm": Parsing("mistral"), "sglang": Parsing("mistral")}, dialect="mistral"),
    EngineFamily(
        "Granite 4.2",
        {
            "vllm": Parsing("qwen3_coder", "granite_thinking_parser"),
            "sglang": Parsing("qwen3_coder", "granite_thinking_parser"),
        },
        r"granite-4\.2-",
    ),
    EngineFamily(
        "Nemotron 3",
        {"vllm": Parsing("qwen3_coder", "nemotron_v3"), "sglang": Parsing("qwen3_coder", "nemotron_3")},
        r"(nvidia-)?nemotron-3-(nano|super)-",
    ),
    EngineFamily("Granite 4.0, 4.1", {"vllm": Parsing("granite4")}, r"granite-4\.[01]-"),
    EngineFamily(
        "Granite 3.0",
        {"vllm": Parsing("granite", template="tool_chat_template_granite.jinja")},
        r"granite-3\.0-",
    ),
    EngineFamily("Granite 3.1 to 3.3", {"vllm": Parsing("granite")}, r"granite-3\.[1-3]-"),
    EngineFamily(
        "Granite 20B for functions",
        {"vllm": Parsing("granite-20b-fc", template="tool_chat_template_granite_20b_fc.jinja")},
        r"granite-20b-functioncalling",
    ),
    EngineFamily(
        "Hunyuan A13B",
        {"vllm": Parsing("hunyuan_a13b", "hunyuan_a13b")},  # SGLang's "hunyuan" reads Hunyuan 3 only
        r"hunyuan-a13b-",
    ),
    EngineFamily(
        "Hunyuan 3",
        {"vllm": Parsing("hy_v3", "hy_v3"), "sglang": Parsing("hunyuan", "hunyuan")},
        r"hy3(-|$)",
    ),
    EngineFamily(
        "xLAM 2 on Llama",
        {"vllm": Parsing("xlam", template="tool_chat_template_xlam_llama.jinja")},
        r"llama-xlam-2-",
    ),
    EngineFamily(
        "xLAM 2 on Qwen",
        {"vllm": Parsing("xlam", template="tool_chat_template_xlam_qwen.jinja")},
        r"xlam-2-",
    ),
    EngineFamily(
        "ToolACE",
        {"vllm": Parsing("pythonic", template="tool_chat_template_toolace.jinja")},
        r"toolace-",
    ),
    EngineFamily(
        "DeepSeek V3",
        {
            "vllm": Parsing("deepseek_v3", template="tool_chat_template_deepseekv3.jinja"),
            "sglang": Parsing("deepseekv3", template="tool_chat_template_deepseekv3.jinja"),
        },
        r"deepseek-v3(-0324)?$",
    ),
    EngineFamily(
        "DeepSeek V3.1",
        {
            "vllm": Parsing("deepseek_v31", template="tool_chat_template_deepseekv31.jinja"),
            "sglang": Parsing("deepseekv31", template="tool_chat_template_deepseekv31.jinja"),
        },
        r"deepseek-v3\.1",
    ),
    EngineFamily(
        "DeepSeek V3.2",
        {"vllm": Parsing("deepseek_v32", "deepseek_v3"), "sglang": Parsing("deepseekv32", "deepseek-v3")},
        r"deepseek-v3\.2(-nvfp4)?$",
    ),
    EngineFamily(
        "DeepSeek V4",
        {"vllm": Parsing("deepseek_v4", "deepseek_v4"), "sglang": Parsing("deepseekv4", "deepseek-v4")},
        r"deepseek-v4-(flash|pro)",
    ),
    EngineFamily(
        "DeepSeek R1 0528",
        {
            "vllm": Parsing("deepseek_v3", "deepseek_r1", "tool_chat_template_deepseekr1.jinja"),
            "sglang": Parsing("deepseekv3", "deepseek-r1", "tool_chat_template_deepseekr1.jinja"),
        },
        r"deepseek-r1-0528$",
    ),
    EngineFamily(
        "GLM 4.5, 4.6",
        {"vllm": Parsing("glm45", "glm45"), "sglang": Parsing("glm", "glm45")},
        r"glm-4\.[56]",
    ),
    EngineFamily(
        "GLM 4.7, 5",
        {"vllm": Parsing("glm47", "glm45"), "sglang": Parsing("glm47", "glm45")},
        r"glm-(4\.7|5(\.\d)?)(-|$)",
    ),
    EngineFamily("Kimi K2", {"vllm": Parsing("kimi_k2"), "sglang": Parsing("kimi_k2")}, r"kimi-k2-instruct"),
    EngineFamily(
        "Kimi K2 Thinking, K2.5, K2.6",
        {"vllm": Parsing("kimi_k2", "kimi_k2"), "sglang": Parsing("kimi_k2", "kimi_k2")},
        r"kimi-k2(-thinking|\.[56])",
    ),
    EngineFamily(
        "gpt-oss",
        {"vllm": Parsing("openai", "openai_gptoss"), "sglang": Parsing("gpt-oss", "gpt-oss")},
        r"gpt-oss-",
    ),
    EngineFamily(
        "LFM2.5 with thinking",
        {"vllm": Parsing("lfm2", "qwen3"), "sglang": Parsing("lfm2", "qwen3")},
        r"lfm2\.5-(8b-a1b|2\.6b|.*-thinking)",
    ),
    EngineFamily("LFM2, LFM2.5", {"vllm": Parsing("lfm2"), "sglang": Parsing("lfm2")}, r"lfm2(\.5)?-\d"),
    EngineFamily(
        "Gemma 4",
        {
            "vllm": Parsing("gemma4", "gemma4"),
            "sglang": Parsing("gemma4", "gemma4"),
            "transformers": _IN_TRANSFORMERS,
        },
        dialect="gemma4",
    ),
    EngineFamily(
        "FunctionGemma",
        {"vllm": Parsing("functiongemma", template="tool_chat_template_functiongemma.jinja")},
        dialect="functiongemma",
    ),
    EngineFamily(
        "Phi-4 mini",
        {"vllm": Parsing("phi4_mini_json", template="tool_chat_template_phi4_mini.jinja")},
        dialect="phi4-mini",
    ),
    EngineFamily(
        "Command A Reasoning",
        {"vllm": Parsing("cohere_command3", "cohere_command3")},
        r"command-a-reasoning-",
    ),
    EngineFamily("Jamba 1.5", {"vllm": Parsing("jamba")}, r"ai21-jamba-1\.5-"),
    EngineFamily(
        "InternLM 2.5",
        {"vllm": Parsing("internlm", template="tool_chat_template_internlm2_tool.jinja")},
        r"internlm2_5-",
    ),
    EngineFamily("Olmo 3", {"vllm": Parsing("olmo3")}, r"olmo-3-.*-instruct"),
    EngineFamily("Olmo 3 Think", {"vllm": Parsing("olmo3", "olmo3")}, r"olmo-3-.*-think"),
)
"""The first that claims a name is its family."""


def family_of(model: str) -> EngineFamily | None:
    """The family that a model's name (or its folder's) implies; None if it implies none."""
    base = bare_name(model)
    dialect = dialect_for(model)
    for family in FAMILIES:
        if re.match(family.pattern, base) if family.pattern else family.dialect == dialect:
            return family
    return None
