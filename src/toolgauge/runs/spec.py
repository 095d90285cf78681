"""A run from what was asked to its results: everything is settled first, then carried out and scored.

`plan_run` raises before anything is asked; `execute_plan` runs the samples that are not finished yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Unpack

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark, Data, EpisodeFactory, Sample, Setup, options_of, own_options
from toolgauge.benchmarks.manifest import Manifest, ModelRecord
from toolgauge.benchmarks.options import in_conversation
from toolgauge.benchmarks.registry import benchmark_of, blamed_on
from toolgauge.data.corrections import Corrections
from toolgauge.episode import Episode
from toolgauge.errors import MissingKey, Tell, UsageError, warn
from toolgauge.locale import Text, _, named_field
from toolgauge.models.model import ConversationModel, Model, ModelOptions, Sampling
from toolgauge.models.registry import BUILTIN, ModelOpening
from toolgauge.runs.budget import Spent
from toolgauge.runs.corrected import CORRECTIONS, Standing, load_data, named_corrections, record_of
from toolgauge.runs.early_scores import EarlyScores
from toolgauge.runs.execute import ExecutionOptions, execute
from toolgauge.runs.executors.executor import ExecutorFactory, RunOutcome, RunSpec
from toolgauge.runs.executors.local import local_executor
from toolgauge.runs.fitting import Fit, fitted
from toolgauge.runs.manifest import decoding_of, model_record, new_manifest, recorded_server
from toolgauge.runs.names import slug
from toolgauge.runs.options import RunOptions, check_names
from toolgauge.runs.scoring import check_place, result_files, score_run
from toolgauge.runs.variants import VARIANT, encode_variant, variant_record, varied_data
from toolgauge.tools.variants import ToolVariant
from toolgauge.written import require_apart

DEFAULT_USER = "openai/gpt-4o"
"""Who simulates the user of a model behind an endpoint unless --user-model says otherwise (ACEBench's own choice)."""
SCRIPTED_USER = "builtin/oracle"
"""Who simulates the user of a built-in model: it says what the episode's gold hint says, and needs no model."""


class SimulatedUser(Struct, frozen=True):
    """Who simulates the user: what was asked for.

    base_url: where that model is served; max_tokens: most tokens of one of its replies; timeout: seconds for one of its
    requests, those of the measured model where none are given.
    """

    model: str | None = None
    base_url: str | None = None
    max_tokens: int | None = None
    timeout: float | None = None


class CorrectedData(Struct, frozen=True):
    """Data with corrections and a variant of the tool lists. file: None for the benchmark's own; corrections: a file,
    "known", or None for none; variant: None for the tools as they are."""

    file: Path | str | None = None
    corrections: Path | str | None = None
    variant: ToolVariant | None = None


class RunResult(Struct, frozen=True):
    """What a run came to. folder: its directory; outcome: how it ended; metrics: what metrics.json holds.

    notes: what was repaired when an interrupted run was continued. tokens and cost (US dollars, None where the price
    of the model is not known) are those of the whole run, earlier goes included; earlier: what those spent.
    """

    folder: Path
    outcome: RunOutcome
    metrics: Metrics
    notes: tuple[Text, ...] = ()
    tokens: int = 0
    cost: float | None = None
    earlier: Spent = Spent()


class Plan(Struct, frozen=True):
    """A run before it begins: what is asked of whom, and where it is kept. openings: how the models were opened.

    price_shares: who is asked in batches, and what their tokens cost as a share of the list price. corrections: those
    that the data set has, original: the data without them. fit: what the model's server says of itself, if it is one of
    one's own. variant: of the tool lists of both data sets.
    """

    benchmark: Benchmark
    dataset: Data
    setup: Setup
    samples: list[Sample]
    models: dict[str, Model]
    folder: Path
    manifest: Manifest
    openings: dict[str, ModelOpening] = {}
    price_shares: dict[str, float] = {}
    corrections: Corrections | None = None
    original: Data | None = None
    fit: Fit | None = None
    variant: ToolVariant | None = None

    @property
    def model(self) -> Model:
        """The model that is measured."""
        return self.models["assistant"]

    @property
    def episode(self) -> Callable[[Sample], Episode]:
        return EpisodeFactory(self.benchmark, self.dataset, self.setup, self._correction)

    @property
    def _correction(self) -> str:
        return self.corrections.sha256 if self.corrections else ""

    def spec(self) -> RunSpec:
        """What `execute` runs."""
        standing: Standing | None = None
        inputs: dict[str, Path | bytes] = {}
        if self.corrections is not None and self.original is not None:
            standing = Standing(self.benchmark, self.setup, self.original, self.dataset, self._correction)
            inputs[CORRECTIONS] = Path(self.corrections.file)
        if self.variant is not None:
            inputs[VARIANT] = encode_variant(self.variant)
        return RunSpec(
            self.samples,
            self.episode,
            self.models,
            self.folder,
            self.manifest,
            probed=("assistant",),
            openings=self.openings,
            price_shares=self.price_shares,
            results=result_files(self.benchmark),
            standing=standing,
            inputs=inputs,
        )


def plan_run(
    benchmark: str | Benchmark,
    model: str,
    *,
    language: str = "en",
    data: Path | str | CorrectedData | None = None,
    out: Path | str | None = None,
    setup: Setup | None = None,
    options: ModelOptions | None = None,
    user: SimulatedUser | None = None,
    offline: bool = False,
) -> Plan:
    """Everything that can be settled before the first request; raises UsageError or DataError."""
    options, setup = options or ModelOptions(), setup or Setup()
    what = benchmark_of(benchmark)
    with blamed_on(what):  # raises for choices that the benchmark does not have, before anything is fetched
        check_names(what)
        own_options(what, setup)
    openings = {"assistant": ModelOpening(model, options)}
    models = {"assistant": openings["assistant"].open()}
    with blamed_on(what):
        if isinstance(models["assistant"], ConversationModel):
            setup = replace(setup, options=in_conversation(options_of(what), model, setup.options))
        setup = replace(setup, options=own_options(what, setup))
    given = data if isinstance(data, CorrectedData) else CorrectedData(data)
    correct = None if given.corrections is None else named_corrections(what, given.corrections)
    original, dataset = _read(what, find_data(what, given.file, offline), language, correct, given.variant)
    with blamed_on(what):
        samples = what.samples(dataset, setup)
        roles, tasks = what.roles(samples), len(what.task_ids(dataset, samples))
    if "user" in roles:
        openings["user"] = _user(models["assistant"], user or SimulatedUser(), options)
        models["user"] = _opened_user(openings["user"])
    elif given_of_user := [name for name, value in asdict(user or SimulatedUser()).items() if value is not None]:
        option = named_field(f"user_{given_of_user[0]}")
        raise UsageError(
            _("{option}: no user is simulated in these conversations of {what}", option=option, what=what.name)
        )
    folder = Path(out) if out else Path("runs") / what.name / language / _folder_name(models["assistant"])
    shares = _batch_prices(models) if options.batch else {}
    manifest = replace(
        new_manifest(what, dataset, setup, model_record(models["assistant"]), options.sampling),
        tasks=tasks,
        conversations=len(samples),
        user_model=model_record(models["user"]) if "user" in models else UNSET,
        user_sampling=openings["user"].options.sampling if user and user.max_tokens else UNSET,
        batch=sorted(shares) or UNSET,
        corrections=record_of(correct, language) if correct else UNSET,
        variant=variant_record(given.variant) if given.variant else UNSET,
    )
    before = original if correct else None
    plan = Plan(what, dataset, setup, samples, models, folder, manifest, openings, shares, correct, before)
    plan = replace(plan, variant=given.variant)
    return _suited(plan, options)


def _read(
    what: Benchmark, file: Path, language: str, corrections: Corrections | None, variant: ToolVariant | None
) -> tuple[Data, Data]:
    """The data without and with the corrections, both with the variant; one object where there are no corrections."""
    with blamed_on(what):
        loaded = load_data(what, file, language)
        original = varied_data(what, loaded, variant)
        if corrections is None:
            return original, original
        return original, varied_data(what, load_data(what, Path(loaded.file), language, corrections), variant)


def _suited(plan: Plan, options: ModelOptions) -> Plan:
    """The plan with what the model's server says of itself, and with requests that suit it. Raises UsageError."""
    found = fitted(plan.model, options, plan.samples, plan.episode, recorded_server(plan.folder))
    if found is None:
        return plan
    fit, suited = found
    opening = ModelOpening(plan.model.name, suited)
    decoding = decoding_of(plan.manifest.model or ModelRecord(), fit.record.engine)
    return replace(
        plan,
        models=plan.models | {"assistant": opening.open()},
        openings=plan.openings | {"assistant": opening},
        manifest=replace(plan.manifest, sampling=suited.sampling, server=fit.record, decoding=decoding),
        fit=fit,
    )


def plan_with(benchmark: str | Benchmark, model: str, options: RunOptions) -> Plan:
    """`plan_run` with the options of `toolgauge.run`."""
    return plan_run(
        benchmark,
        model,
        language=options.language,
        data=CorrectedData(options.data, options.corrections),
        out=options.out,
        setup=options.setup(),
        options=options.model_options(),
        user=SimulatedUser(options.user_model, options.user_base_url, options.user_max_tokens, options.user_timeout),
        offline=options.offline,
    )


def _user(assistant: Model, user: SimulatedUser, options: ModelOptions) -> ModelOpening:
    """Who simulates the user: the model named, else a scripted one for built-in models, else DEFAULT_USER.

    The measured model's base URL, key and sampling are its own.
    """
    usual = SCRIPTED_USER if assistant.describe()["provider"] == BUILTIN else DEFAULT_USER
    sampling, timeout = Sampling(max_tokens=user.max_tokens), user.timeout or options.timeout
    reached = replace(options, base_url=user.base_url, api_key=None, timeout=timeout, sampling=sampling, dialect=None)
    return ModelOpening(user.model or usual, reached)


def _opened_user(opening: ModelOpening) -> Model:
    """Raises UsageError; a key that is missing is the user's, which `--api-key` does not give."""
    try:
        return opening.open()
    except MissingKey as error:
        raise UsageError(
            _(
                "{user_model_field}: {model} simulates the user, and has no key; set {key_variables} (also in .env of "
                "this folder) or name another model",
                model=opening.spec,
                key_variables=error.variable,
            )
        ) from error


def _folder_name(model: Model) -> str:
    """Of a run directory that nobody named; native calls and a dialect are runs of their own."""
    dialect = model.describe().get("dialect")
    return slug(f"{model.name}-{dialect}" if dialect else model.name)


def execute_plan(
    plan: Plan, concurrency: int, overwrite: bool = False, tell: Tell = warn, **how: Unpack[ExecutionOptions]
) -> RunResult:
    """Run the samples of a plan that are not finished yet, then score.

    overwrite: also files in the run directory that somebody has changed; else they raise UsageError. tell: is told
    where this waits for another process that scores the folder.
    """
    early = EarlyScores(plan.benchmark, plan.dataset)
    spec = replace(plan.spec(), begun=early.begun, written=early.written)
    files = [source for source in spec.inputs.values() if isinstance(source, Path)]
    check_place(plan.folder, plan.benchmark, [plan.dataset.file, *files], overwrite)
    require_apart([plan.folder / name for name in spec.inputs], [plan.dataset.file])
    if plan.price_shares:
        how["engine"] = _batch_engine(how.get("engine", local_executor))
    executed = execute(spec, concurrency, **how)
    metrics = score_run(plan.folder, None, plan.dataset, overwrite, tell, plan.original, early.scores)
    tokens, cost = executed.spent.tokens, executed.spent.cost
    return RunResult(plan.folder, executed.outcome, metrics, executed.notes, tokens, cost, executed.earlier)


def _batch_engine(engine: ExecutorFactory) -> ExecutorFactory:
    from toolgauge.runs.executors.batch import in_batches

    if engine is not local_executor:
        raise UsageError(_("{batch_field}: batches are looked after by one process; leave {engine_field} away"))
    return in_batches


def _batch_prices(models: Mapping[str, Model]) -> dict[str, float]:
    from toolgauge.runs.executors.batch import batch_prices

    return batch_prices(models)


def find_data(benchmark: Benchmark, data: Path | str | None, offline: bool = False) -> Path:
    """The benchmark's data file: the one named, the embedded one, or the public one (fetched once)."""
    if data is not None:
        return Path(data)
    if benchmark.embedded is not None:
        return benchmark.embedded
    from toolgauge.benchmarks.catalogue import source
    from toolgauge.data.fetch import fetch_path

    if benchmark.source is None:
        raise UsageError(
            _("{benchmark}: has no data of its own; name a file with {data_field}", benchmark=benchmark.name)
        )
    return fetch_path(source(benchmark.source), offline=offline)
