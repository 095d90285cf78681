"""Names of dialects, and of models as they are published, on hubs, as files and in Ollama's library, and the dialects
that they tell. Where models of like names write otherwise, or were not taught to converse, nothing is told."""

from __future__ import annotations

import pytest

from tests.rows import rows
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.dialects.table import ALIASES, DIALECTS, dialect_for, find_dialect


def test_names_and_aliases() -> None:
    assert find_dialect(" Hermes ").name == "hermes"
    assert find_dialect("qwen2.5") is DIALECTS["hermes"]
    assert {find_dialect(alias).name for alias in ALIASES} <= set(DIALECTS)
    assert not set(ALIASES) & set(DIALECTS)
    for name, dialect in DIALECTS.items():
        assert dialect.name == name == name.lower()
    with pytest.raises(UsageError, match=r"'hermess'; did you mean 'hermes'\? Choose one of auto, hermes, "):
        find_dialect("hermess")


def test_the_model_is_opened_with_its_dialect() -> None:
    reached = ModelOptions(base_url="http://127.0.0.1:1/v1", dialect="auto")
    model = open_model("openai/Qwen/Qwen3-8B", reached)
    assert (model.name, model.describe()["dialect"]) == ("openai/Qwen/Qwen3-8B", "hermes")
    with pytest.raises(UsageError, match="no dialect known"):
        open_model("openai/mock", reached)


TOLD = {
    "hermes": """
        Qwen2.5-7B-Instruct-Q4_K_M.gguf Qwen2.5-7B-Instruct-1M-Q6_K.gguf hermes3:8b
        Qwen_Qwen3-8B-Q4_K_M.gguf bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF QwQ-32B-IQ4_XS.gguf
        Qwen/Qwen3-VL-32B-Instruct
    """,
    "qwen3-coder": """
        Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf
        ibm-granite/granite-4.2-3b-GGUF
        Nemotron-3-Nano-30B-A3B-UD-Q4_K_XL.gguf
    """,
    "llama3-json": "Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf llama3.1 llama3.1:8b-instruct-q8_0",
    "mistral": """
        Mistral-7B-Instruct-v0.3.Q4_K_M.gguf
        Ministral-3-8B-Instruct-2512-Q4_K_M.gguf
        Magistral-Small-2509-UD-Q4_K_XL.gguf
    """,
    "granite": "granite-3.3-8b-instruct-Q4_K_M.gguf granite3.3:8b ibm-granite/granite-3.3-2b-instruct-GGUF",
    "granite4": "granite-4.0-h-tiny-Q4_K_M.gguf ibm-granite/granite-4.0-h-1b granite4.1:8b-q4_K_M",
    "phi4-mini": "Phi-4-mini-instruct-Q4_K_M.gguf microsoft/Phi-4-mini-instruct phi4-mini:3.8b",
    "lfm2": "LFM2-1.2B-Q4_0.gguf LFM2-1.2B-Tool-Q4_K_M.gguf lfm2:24b",
    "lfm2.5": "LFM2.5-1.2B-Instruct-Q8_0.gguf LFM2.5-8B-A1B-UD-Q4_K_XL.gguf lfm2.5-thinking:1.2b",
    "gemma": "gemma-3-270m-it-Q8_0.gguf bartowski/google_gemma-3-12b-it-qat-GGUF:Q5_K_M gemma3n:e4b",
    "functiongemma": "functiongemma-270m-it-Q8_0.gguf google/functiongemma-270m-it functiongemma:270m",
    "gemma4": "google_gemma-4-E2B-it-Q4_K_M.gguf unsloth/gemma-4-E2B-it-qat-GGUF:UD-Q4_K_XL gemma4:e4b-it-q4_K_M",
    "gpt-oss": "gpt-oss-20b-mxfp4.gguf unsloth/gpt-oss-120b-GGUF gpt-oss:20b",
    "hammer": "Hammer2.1-7b-Q4_K_M.gguf",
    "xlam2": "Llama-xLAM-2-8b-fc-r-Q4_K_M.gguf Salesforce/xLAM-2-1b-fc-r-gguf",
    "toolace": "ToolACE-8B.Q4_K_M.gguf ToolACE-2-Llama-3.1-8B.Q4_K_M.gguf",
    "watt": "watt-tool-8B-Q4_K_M.gguf",
    "llama-pythonic": "Llama-4-Scout-17B-16E-Instruct-UD-Q4_K_XL-00001-of-00002.gguf",
    "hunyuan": "Hunyuan-A13B-Instruct-Q4_K_M.gguf",
    "hunyuan3": "tencent/Hy3 tencent/Hy3-Preview",
    "kimi": "Kimi-K2-Instruct-0905-UD-TQ1_0-00001-of-00005.gguf moonshotai/Kimi-K2.7-Code",
    "glm4.5": "GLM-4.5-Air-UD-Q4_K_XL-00001-of-00002.gguf zai-org/GLM-5.3",
    "deepseek-v3": "DeepSeek-V3-0324-UD-Q2_K_XL-00001-of-00006.gguf DeepSeek-R1-0528-UD-IQ1_S-00001-of-00004.gguf",
    "deepseek-v3.2": "DeepSeek-V3.2-UD-Q4_K_XL-00001-of-00008.gguf",
    "deepseek-v4": "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-v3.1": "DeepSeek-V3.1-Terminus-Q4_K_M-00001-of-00009.gguf",
    "minimax-m2": "MiniMaxAI/MiniMax-M2.5 MiniMax-M2-UD-Q4_K_XL-00001-of-00003.gguf",
    "seed-oss": "ByteDance-Seed/Seed-OSS-36B-Instruct",
    "generic": "microsoft/Phi-3-mini-4k-instruct openbmb/MiniCPM3-4B deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct",
}
"""Dialect -> names."""

FOLDERS = {
    "Qwen3-8B-GGUF/model.gguf": "hermes",
    "/srv/models/gemma-3-1b-it/ggml-model-Q4_0.gguf": "gemma",
    "C:\\models\\LFM2-1.2B-Q4_0.gguf": "lfm2",
    "model-Q4_K_M.gguf": None,
    "downloads/model.gguf": None,
    "Qwen3-8B-GGUF/draft.gguf": None,
}
"""Paths, and files whose names leave it to their folder."""

UNTOLD = """
    Qwen2.5-7B-Q4_K_M.gguf
    qwen2.5-coder:7b
    ggml-org/Qwen2.5-Omni-7B-GGUF
    Qwen3-Reranker-4B-Q4_K_M.gguf
    meta-llama/Llama-3.1-8B
    llama3.2:3b
    gpt-oss-safeguard-20b-Q4_K_M.gguf
    granite-4.0-h-tiny-base-Q4_K_M.gguf
    granite-guardian-3.3-8b
    microsoft/Phi-4-mini-flash-reasoning
    LiquidAI/LFM2-ColBERT-350M
    LiquidAI/LFM2.5-2.6B-DSpark-GGUF
    google/gemma-3-4b-pt
    medgemma-27b-it-Q4_K_M.gguf
    google/shieldgemma-2b
    google/gemma-4-E2B
    TinyLlama-1.1B-Chat-v1.0.Q4_K_M.gguf
    nomic-embed-text-v1.5.f16.gguf
    deepseek-ai/DeepSeek-R1-Distill-Qwen-7B
    moonshotai/Kimi-K2-Base
"""


@rows(("dialect", "name"), [(dialect, name) for dialect, names in TOLD.items() for name in names.split()])
def test_published_names_tell_a_dialect(dialect: str, name: str) -> None:
    assert dialect_for(name) == dialect


@rows("name", UNTOLD.split())
def test_near_misses_tell_nothing(name: str) -> None:
    assert dialect_for(name) is None


@rows("path", FOLDERS)
def test_a_file_without_a_name_of_its_own_has_its_folders(path: str) -> None:
    assert dialect_for(path) == FOLDERS[path]
