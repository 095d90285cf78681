"""bfcl-eval's own commands `generate` and `evaluate` on an endpoint, for one category; its labels are printed as JSON.

    OPENAI_BASE_URL=http://127.0.0.1:8000/v1 python original.py base --threads 8 --results FOLDER

It is the original's own code from the request to the label: `OpenAICompletionsHandler`, the scheduler, the checker.
Clients of vendors that it imports but does not use here stand in as empty modules, so that they need not be installed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

VENDORS = {
    "anthropic", "boto3", "cohere", "datamodel_code_generator", "google", "httpx", "mistralai", "qwen_agent", "serpapi",
    "transformers", "wandb", "writerai",
}  # fmt: skip


class EmptyModule(types.ModuleType):
    """Has every attribute that is asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock if name[:1].isupper() else MagicMock()


class Vendors(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds an empty module for each of VENDORS and what is below them."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        mine = name.partition(".")[0] in VENDORS
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if mine else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return EmptyModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing in it."""


def labels(category: str, threads: int) -> dict[str, str]:
    """What the original says of each test entry: "" for a right one, else its error type."""
    import bfcl_eval._llm_response_generation as generation
    from bfcl_eval.constants import model_config
    from bfcl_eval.eval_checker import eval_runner
    from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler

    test_category = f"multi_turn_{category}"
    model = "scripted-" + category.replace("_", "-")
    model_config.MODEL_CONFIG_MAPPING[model] = model_config.ModelConfig(
        model, model, "", "", "", OpenAICompletionsHandler, is_fc_model=True, underscore_to_dot=True
    )
    generation.main(
        SimpleNamespace(
            model=[model], test_category=[test_category], temperature=0.001, include_input_log=False,
            exclude_state_log=False, num_gpus=1, num_threads=threads, gpu_memory_utilization=0.9, backend="vllm",
            skip_server_setup=True, local_model_path=None, result_dir=None, allow_overwrite=True, run_ids=False,
            enable_lora=False, max_lora_rank=None, lora_modules=None,
        )
    )  # fmt: skip
    eval_runner.main([model], [test_category], None, None)
    root = Path(os.environ["BFCL_PROJECT_ROOT"])
    results = root / "result" / model / "multi_turn" / f"BFCL_v4_{test_category}_result.json"
    asked = [json.loads(line)["id"] for line in results.read_text().splitlines()]
    scores = root / "score" / model / "multi_turn" / f"BFCL_v4_{test_category}_score.json"
    failed = [json.loads(line) for line in scores.read_text().splitlines()[1:]]
    return dict.fromkeys(asked, "") | {entry["id"]: entry["error"]["error_type"] for entry in failed}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("category")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--results", type=Path, required=True)
    arguments = parser.parse_args()
    os.environ["BFCL_PROJECT_ROOT"] = str(arguments.results.resolve())
    os.environ.setdefault("OPENAI_API_KEY", "none")
    sys.meta_path.append(Vendors())
    with contextlib.redirect_stdout(sys.stderr):
        printed = labels(arguments.category, arguments.threads)
    print(json.dumps(printed))
