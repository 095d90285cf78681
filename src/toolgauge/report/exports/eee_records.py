"""What Every Eval Ever's data store holds, as its schema (version 0.3.0) names it: a record, and its samples.

Only what we fill. A field that is None is left out. Details are texts there, whatever they are.
"""

from __future__ import annotations

from msgspec import Struct

SCHEMA_VERSION = "0.3.0"
UNKNOWN = "unknown"

Details = dict[str, str]


class SourceMetadata(Struct, frozen=True, kw_only=True, omit_defaults=True):
    source_name: str
    source_type: str
    source_organization_name: str
    evaluator_relationship: str
    additional_details: Details = {}


class Library(Struct, frozen=True):
    name: str
    version: str


class InferenceEngine(Struct, frozen=True):
    name: str


class ModelInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    id: str
    developer: str
    inference_platform: str
    additional_details: Details
    inference_engine: InferenceEngine | None = None


class SourceData(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """source_type: "url", "hf_dataset" or "other"."""

    dataset_name: str
    source_type: str
    additional_details: Details
    url: tuple[str, ...] = ()
    hf_repo: str | None = None


class MetricConfig(Struct, frozen=True, kw_only=True):
    evaluation_description: str
    metric_id: str
    metric_name: str
    additional_details: Details
    metric_kind: str = "accuracy"
    metric_unit: str = "proportion"
    lower_is_better: bool = False
    score_type: str = "continuous"
    min_score: int = 0
    max_score: int = 1


class ConfidenceInterval(Struct, frozen=True):
    lower: float
    upper: float
    confidence_level: float
    method: str


class Uncertainty(Struct, frozen=True, omit_defaults=True):
    num_samples: int
    confidence_interval: ConfidenceInterval | None = None


class ScoreDetails(Struct, frozen=True):
    score: float
    details: Details
    uncertainty: Uncertainty


class GenerationArgs(Struct, frozen=True, omit_defaults=True):
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None


class GenerationConfig(Struct, frozen=True):
    generation_args: GenerationArgs
    additional_details: Details


class Result(Struct, frozen=True):
    evaluation_result_id: str
    evaluation_name: str
    source_data: SourceData
    metric_config: MetricConfig
    score_details: ScoreDetails
    generation_config: GenerationConfig


class SamplesFile(Struct, frozen=True, kw_only=True):
    file_path: str
    checksum: str
    total_rows: int
    format: str = "jsonl"
    hash_algorithm: str = "sha256"


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """retrieved_timestamp: when it was written, in seconds since 1970; evaluation_timestamp: when the run began."""

    evaluation_id: str
    retrieved_timestamp: str
    source_metadata: SourceMetadata
    eval_library: Library
    model_info: ModelInfo
    evaluation_results: tuple[Result, ...]
    detailed_evaluation_results: SamplesFile
    schema_version: str
    evaluation_timestamp: str | None = None


class SampleInput(Struct, frozen=True):
    raw: str
    reference: tuple[str, ...] = ()


class SampleCall(Struct, frozen=True):
    id: str
    name: str
    arguments: dict[str, str]


class SampleMessage(Struct, frozen=True, omit_defaults=True):
    turn_idx: int
    role: str
    content: str | None = None
    reasoning_trace: str | None = None
    tool_calls: tuple[SampleCall, ...] = ()
    tool_call_id: tuple[str, ...] | None = None


class Attribution(Struct, frozen=True):
    """Where the answer stands."""

    turn_idx: int
    source: str
    extracted_value: str
    extraction_method: str
    is_terminal: bool = True


class Evaluation(Struct, frozen=True, omit_defaults=True):
    score: float
    is_correct: bool
    num_turns: int | None = None
    tool_calls_count: int | None = None


class TokenUsage(Struct, frozen=True):
    input_tokens: int
    output_tokens: int
    total_tokens: int


class Performance(Struct, frozen=True):
    latency_ms: float


class EvaluatedSample(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the samples: one task."""

    evaluation_id: str
    model_id: str
    evaluation_name: str
    evaluation_result_id: str
    sample_id: str
    interaction_type: str
    input: SampleInput
    messages: tuple[SampleMessage, ...]
    answer_attribution: tuple[Attribution, ...]
    evaluation: Evaluation
    schema_version: str
    token_usage: TokenUsage | None = None
    performance: Performance | None = None
    metadata: Details = {}


def texts(**values: object) -> Details:
    """Details; what is not known is left out."""
    return {name: str(value) for name, value in values.items() if value is not None and value != ""}
