"""Names as they are published, on hubs, as files and in Ollama's library, and the dialects that they tell.

Where models of like names write otherwise, or were not taught to converse, nothing is told.
"""

from __future__ import annotations

import pytest

from toolgauge.models.dialects.registry import DIALECTS, bare_name, dialect_for

TOLD = {
    "hermes": """
        Qwen2.5-7B-Instruct-Q4_K_M.gguf
        models/Qwen2.5-7B-Instruct-Q4_K_M.gguf
        qwen2.5-0.5b-instruct-fp16.gguf
        qwen2.5-7b-instruct-q4_k_m-00001-of-00002.gguf
        Qwen/Qwen2.5-7B-Instruct-GGUF
        bartowski/Qwen2.5-14B-Instruct-GGUF:Q4_K_M
        Qwen2.5-7B-Instruct.i1-Q4_K_M.gguf
        mradermacher/Qwen2.5-7B-Instruct-i1-GGUF
        Qwen2.5-3B-Instruct-Q8_0-GGUF
        Qwen2.5-7B-Instruct-1M-Q6_K.gguf
        mlx-community/Qwen2.5-7B-Instruct-4bit
        unsloth/Qwen2.5-7B-Instruct-unsloth-bnb-4bit
        Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4
        qwen2.5:7b
        qwen2.5:0.5b-instruct-q4_K_M
        Hermes-3-Llama-3.2-3B.Q4_K_M.gguf
        NousResearch_Hermes-4-14B-Q4_K_M.gguf
        hermes3:8b
    """,
    "qwen3": """
        Qwen_Qwen3-8B-Q4_K_M.gguf
        ggml-org/Qwen3-0.6B-GGUF
        unsloth/Qwen3-235B-A22B-GGUF/UD-Q4_K_XL/Qwen3-235B-A22B-UD-Q4_K_XL-00001-of-00003.gguf
        Qwen3-30B-A3B-Instruct-2507-UD-Q4_K_XL.gguf
        bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF
        Qwen/Qwen3-8B-MLX-4bit
        Qwen/Qwen3-Next-80B-A3B-Instruct-FP8
        qwen3:30b-a3b-instruct-2507-q4_K_M
        QwQ-32B-IQ4_XS.gguf
    """,
    "qwen3-coder": """
        Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf
        unsloth/Qwen3.5-9B-GGUF
        Qwen3.5-122B-A10B-UD-IQ4_NL-00001-of-00003.gguf
        qwen3.5:9b
        ibm-granite/granite-4.2-3b-GGUF
        granite-4.2-8b-Q8_0.gguf
        nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16
        Nemotron-3-Nano-30B-A3B-UD-Q4_K_XL.gguf
    """,
    "llama3-json": """
        Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf
        lmstudio-community/Meta-Llama-3.1-8B-Instruct-GGUF
        Llama-3.3-70B-Instruct-Q4_K_M-00001-of-00002.gguf
        llama3.1
        llama3.1:8b
        llama3.1:8b-instruct-q8_0
    """,
    "mistral": """
        Mistral-7B-Instruct-v0.3.Q4_K_M.gguf
        mistralai_Mistral-Small-3.2-24B-Instruct-2506-Q4_K_M.gguf
        Ministral-3-8B-Instruct-2512-Q4_K_M.gguf
        Magistral-Small-2509-UD-Q4_K_XL.gguf
    """,
    "granite": "granite-3.3-8b-instruct-Q4_K_M.gguf granite3.3:8b ibm-granite/granite-3.3-2b-instruct-GGUF",
    "granite4": """
        granite-4.0-h-tiny-Q4_K_M.gguf
        ibm-granite_granite-4.0-h-micro-Q4_K_M.gguf
        granite-4.0-h-micro-UD-Q8_K_XL.gguf
        unsloth/granite-4.0-350m-GGUF
        ibm-granite/granite-4.0-h-1b
        granite-4.1-8b-Q4_K_M.gguf
        granite4:tiny-h
        granite4.1:8b-q4_K_M
    """,
    "phi4-mini": """
        Phi-4-mini-instruct-Q4_K_M.gguf
        microsoft_Phi-4-mini-instruct-Q5_K_M.gguf
        hf.co/bartowski/microsoft_Phi-4-mini-instruct-GGUF:Q5_K_M
        microsoft/Phi-4-mini-instruct
        phi4-mini
        phi4-mini:3.8b
    """,
    "lfm2": """
        LFM2-1.2B-Q4_0.gguf
        LiquidAI/LFM2-350M-GGUF
        LiquidAI_LFM2-8B-A1B-Q4_K_M.gguf
        LFM2-1.2B-Tool-Q4_K_M.gguf
        LiquidAI/LFM2-2.6B-Exp
        lfm2:24b
    """,
    "lfm2.5": """
        LFM2.5-1.2B-Instruct-Q8_0.gguf
        LiquidAI/LFM2.5-2.6B-GGUF:Q6_K
        LiquidAI/LFM2.5-2.6B-MLX-4bit
        LFM2.5-8B-A1B-UD-Q4_K_XL.gguf
        LiquidAI/LFM2.5-1.2B-Thinking
        lfm2.5-thinking:1.2b
    """,
    "gemma": """
        gemma-3-270m-it-Q8_0.gguf
        ggml-org/gemma-3-270m-it-GGUF
        gemma-3-270m-it-GGUF/gemma-3-270m-it-Q8_0.gguf
        google_gemma-3-4b-it-Q4_K_M.gguf
        google/gemma-3-27b-it-qat-q4_0-gguf
        gemma-3-4b-it-q4_0.gguf
        bartowski/google_gemma-3-12b-it-qat-GGUF:Q5_K_M
        gemma-2-2b-it-Q4_K_M.gguf
        unsloth/gemma-3n-E4B-it-GGUF
        gemma3:4b
        gemma3:12b-it-qat
        gemma3n:e4b
    """,
    "functiongemma": "functiongemma-270m-it-Q8_0.gguf google/functiongemma-270m-it functiongemma:270m",
    "gemma4": """
        google_gemma-4-E2B-it-Q4_K_M.gguf
        google_gemma-4-26B-A4B-it-IQ3_XS.gguf
        unsloth/gemma-4-E2B-it-qat-GGUF:UD-Q4_K_XL
        google/gemma-4-31B-it
        gemma4:e4b-it-q4_K_M
    """,
    "gpt-oss": "gpt-oss-20b-mxfp4.gguf openai_gpt-oss-20b-MXFP4.gguf unsloth/gpt-oss-120b-GGUF gpt-oss:20b",
    "hammer2.1": "Hammer2.1-7b-Q4_K_M.gguf",
    "xlam": "xLAM-7b-fc-r.Q4_K_M.gguf",
    "xlam2": "Llama-xLAM-2-8b-fc-r-Q4_K_M.gguf Salesforce/xLAM-2-1b-fc-r-gguf",
    "toolace": "ToolACE-8B.Q4_K_M.gguf",
    "toolace2": "ToolACE-2-Llama-3.1-8B.Q4_K_M.gguf",
    "watt": "watt-tool-8B-Q4_K_M.gguf",
    "gorilla": "gorilla-openfunctions-v2-q4_K_M.gguf",
    "functionary3.1": "functionary-small-v3.1.Q4_0.gguf",
    "llama-pythonic": "Llama-4-Scout-17B-16E-Instruct-UD-Q4_K_XL-00001-of-00002.gguf",
    "hunyuan": "Hunyuan-A13B-Instruct-Q4_K_M.gguf",
    "hunyuan3": "tencent/Hy3",
    "hunyuan3-preview": "tencent/Hy3-Preview",
    "kimi": "Kimi-K2-Instruct-0905-UD-TQ1_0-00001-of-00005.gguf",
    "glm4": "GLM-4-32B-0414-Q4_K_M.gguf THUDM_GLM-4-9B-0414-Q4_K_M.gguf",
    "glm4.5": "GLM-4.5-Air-UD-Q4_K_XL-00001-of-00002.gguf",
    "deepseek-v3": "DeepSeek-V3-0324-UD-Q2_K_XL-00001-of-00006.gguf",
    "deepseek-r1": "DeepSeek-R1-0528-UD-IQ1_S-00001-of-00004.gguf",
    "deepseek-v3.2": "DeepSeek-V3.2-UD-Q4_K_XL-00001-of-00008.gguf",
    "deepseek-v4": "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-v3.1": "DeepSeek-V3.1-Terminus-Q4_K_M-00001-of-00009.gguf",
}
"""Dialect -> names."""

FOLDERS = {
    "Qwen3-8B-GGUF/model.gguf": "qwen3",
    "/srv/models/gemma-3-1b-it/ggml-model-Q4_0.gguf": "gemma",
    "C:\\models\\LFM2-1.2B-Q4_0.gguf": "lfm2",
    "model-Q4_K_M.gguf": None,
    "downloads/model.gguf": None,
    "Qwen3-8B-GGUF/draft.gguf": None,
}
"""Paths, and files whose names leave it to their folder."""

UNTOLD = """
    Qwen2.5-7B-Q4_K_M.gguf
    Qwen/Qwen2.5-7B
    Qwen/Qwen2.5-Coder-7B-Instruct-GGUF
    qwen2.5-coder:7b
    Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf
    Qwen2.5-Math-7B-Instruct-Q4_K_M.gguf
    ggml-org/Qwen2.5-Omni-7B-GGUF
    Qwen3-8B-Base-Q4_K_M.gguf
    Qwen3-Embedding-0.6B-Q8_0.gguf
    Qwen3-Reranker-4B-Q4_K_M.gguf
    Qwen3-VL-8B-Instruct-Q4_K_M.gguf
    Qwen3-8B-abliterated-Q4_K_M.gguf
    meta-llama/Llama-3.1-8B
    Llama-3.1-8B-Q4_K_M.gguf
    Llama-3.2-1B-Instruct-Q4_K_M.gguf
    llama3.2:3b
    DeepSeek-R1-Distill-Qwen-7B-Q4_K_M.gguf
    deepseek-ai/DeepSeek-V4-Flash-Base
    gpt-oss-safeguard-20b-Q4_K_M.gguf
    Qwen2.5-7B-Instruct-abliterated-GGUF
    deepseek-r1:8b
    granite-4.0-h-tiny-base-Q4_K_M.gguf
    granite-4.0-tiny-preview
    granite-embedding-278m-multilingual
    granite-guardian-3.3-8b
    phi-4-Q4_K_M.gguf
    microsoft/Phi-4-mini-reasoning
    microsoft/Phi-4-mini-flash-reasoning
    microsoft/Phi-3.5-mini-instruct
    LFM2-VL-1.6B-Q8_0.gguf
    LiquidAI/LFM2-ColBERT-350M
    LiquidAI/LFM2-1.2B-Extract
    LiquidAI/LFM2.5-1.2B-Base
    LiquidAI/LFM2.5-2.6B-DSpark-GGUF
    LFM2.5-Audio-1.5B-Q8_0.gguf
    gemma-3-270m-Q8_0.gguf
    google/gemma-3-4b-pt
    gemma-2-2b-Q4_K_M.gguf
    gemma-7b-it-Q4_K_M.gguf
    medgemma-27b-it-Q4_K_M.gguf
    unsloth/embeddinggemma-300m-GGUF
    google/codegemma-7b-it
    google/shieldgemma-2b
    google/translategemma-4b-it
    google/paligemma2-3b-mix-448
    google/gemma-4-E2B
    mmproj-gemma-4-E2B-it-Q8_0.gguf
    SmolLM2-135M-Instruct-Q4_1.gguf
    TinyLlama-1.1B-Chat-v1.0.Q4_K_M.gguf
    Mistral-7B-v0.3.Q4_K_M.gguf
    Mixtral-8x7B-Instruct-v0.1.Q4_K_M.gguf
    nomic-embed-text-v1.5.f16.gguf
    -Q4_K_M.gguf
    .gguf
"""


@pytest.mark.parametrize(
    ("dialect", "name"), [(dialect, name) for dialect, names in TOLD.items() for name in names.split()]
)
def test_published_names_tell_a_dialect(dialect: str, name: str) -> None:
    assert dialect_for(name) == dialect


def test_every_dialect_of_a_family_is_told() -> None:
    assert set(TOLD) == {name for name, dialect in DIALECTS.items() if dialect.models}


@pytest.mark.parametrize("name", UNTOLD.split())
def test_near_misses_tell_nothing(name: str) -> None:
    assert dialect_for(name) is None


@pytest.mark.parametrize("path", FOLDERS)
def test_a_file_without_a_name_of_its_own_has_its_folders(path: str) -> None:
    assert dialect_for(path) == FOLDERS[path]


def test_long_names_are_taken() -> None:
    for name in ("/" * 10_000, "a/" * 10_000 + "model.gguf", "model.gguf/" * 5_000, "-q4_0" * 20_000, ":" * 10_000):
        bare_name(name)
        assert dialect_for(name) is None
