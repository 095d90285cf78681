"""What a run will do: benchmark, data, models and folder, all settled before the first request.

`plan_run` raises UsageError or DataError for whatever cannot work; `runs/run.py` carries a plan out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Benchmark, Data, EpisodeFactory, Sample, Setup, options_of, own_options
from toolgauge.benchmarks.benchmark import Role as DeclaredRole
from toolgauge.benchmarks.manifest import Manifest, ModelRecord, ServerRecord
from toolgauge.benchmarks.options import in_conversation
from toolgauge.benchmarks.registry import SESSIONS_BENCHMARK, benchmark_of, blamed_on, is_session_file
from toolgauge.chat import Request
from toolgauge.data.corrections import Corrections
from toolgauge.episode import Episode
from toolgauge.errors import MissingKey, UsageError
from toolgauge.files import slug
from toolgauge.models.local_server import ServerFacts, ask_server, count_tokens
from toolgauge.models.model import ConversationModel, Model, ModelOptions, Sampling
from toolgauge.models.providers import Endpoint, endpoint_of
from toolgauge.models.registry import BUILTIN, ModelOpening, is_on_this_machine, limited
from toolgauge.runs.corrections import CORRECTIONS, Standing, load_data, named_corrections, record_of
from toolgauge.runs.executors.executor import RunSpec
from toolgauge.runs.manifest import MANIFEST, decoding_of, grown, is_free, model_record, new_manifest, read_manifest
from toolgauge.runs.options import RunOptions, check_names
from toolgauge.runs.roles import Draw, Role, member_of, parse_model, require_roles
from toolgauge.runs.scoring import result_files
from toolgauge.runs.store import RoleMap, by_role
from toolgauge.runs.variants import VARIANT, encode_variant, variant_record, varied_data
from toolgauge.tools.variants import ToolVariant

SCRIPTED_ROLE = "builtin/oracle"
"""Who plays the other roles beside a built-in model: it says what the episode's gold hint says, and needs no model."""


class CorrectedData(Struct, frozen=True):
    """Data with corrections and a variant of the tool lists. file: None for the benchmark's own; corrections: a file,
    "known", or None for none; variant: None for the tools as they are."""

    file: Path | str | None = None
    corrections: Path | str | None = None
    variant: ToolVariant | None = None


class Plan(Struct, frozen=True):
    """A run before it begins: what is asked of whom, and where it is kept. openings: how the models were opened;
    role_map: which of them speaks in a role of a sample.

    price_shares: who is asked in batches, and what their tokens cost as a share of the list price. corrections: those
    that the data set has, original: the data without them. variant: of the tool lists of both data sets.
    """

    benchmark: Benchmark
    dataset: Data
    setup: Setup
    samples: list[Sample]
    models: dict[str, Model]
    folder: Path
    manifest: Manifest
    openings: dict[str, ModelOpening]
    role_map: RoleMap = by_role
    price_shares: dict[str, float] = {}
    corrections: Corrections | None = None
    original: Data | None = None
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
            standing = Standing(self.benchmark, self.setup, self.dataset, self._correction)
            inputs[CORRECTIONS] = Path(self.corrections.file)
        if self.variant is not None:
            inputs[VARIANT] = encode_variant(self.variant)
        return RunSpec(
            self.samples,
            self.episode,
            self.models,
            self.folder,
            self.manifest,
            self.role_map,
            probed=("assistant",),
            openings=self.openings,
            price_shares=self.price_shares,
            results=result_files(self.benchmark),
            standing=standing,
            inputs=inputs,
            timeout=self.openings["assistant"].options.timeout,
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
    roles: Mapping[str, Role] | None = None,
    offline: bool = False,
) -> Plan:
    """Everything that can be settled before the first request; raises UsageError or DataError."""
    options, setup = options or ModelOptions(), setup or Setup()
    benchmark, data = _named(benchmark, data)
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
    source = data if isinstance(data, CorrectedData) else CorrectedData(data)
    correct = None if source.corrections is None else named_corrections(what, source.corrections)
    original, dataset = _read(what, find_data(what, source.file, offline), language, correct, source.variant)
    with blamed_on(what):
        samples = list(what.samples(dataset, setup))
        speakers, tasks = what.speakers(samples), len(list(what.task_ids(dataset, samples)))
    if not samples:
        raise UsageError(f"{what.name}: nothing is selected; change --ids, --limit or --category")
    others = [role for role in speakers if role != "assistant"]
    require_roles(roles or {}, others, what.name)
    pools: dict[str, tuple[str, ...]] = {}
    for role in others:
        chosen = (roles or {}).get(role, Role())
        pools[role] = _open_role(role, chosen, models, openings, options, what)
    place = slug(dataset.name) if what.name == SESSIONS_BENCHMARK else what.name
    folder = Path(out) if out else Path("runs") / place / language / _folder_name(models["assistant"])
    shares = _batch_prices(models) if options.batch else {}
    manifest = replace(
        new_manifest(what, dataset, setup, model_record(models["assistant"]), options.sampling),
        tasks=tasks,
        conversations=len(samples),
        **_role_records(pools, models, openings),
        batch=sorted(shares) or UNSET,
        corrections=record_of(correct, language) if correct else UNSET,
        variant=variant_record(source.variant) if source.variant else UNSET,
    )
    manifest = grown(folder, manifest, what, dataset, samples)
    before = original if correct else None
    drawn = {role: members for role, members in pools.items() if len(members) > 1}
    role_map = Draw(drawn, options.sampling.seed or 0) if drawn else by_role
    plan = Plan(what, dataset, setup, samples, models, folder, manifest, openings, role_map, shares, correct, before)
    return _suited(replace(plan, variant=source.variant))


def _named(
    benchmark: str | Benchmark, data: Path | str | CorrectedData | None
) -> tuple[str | Benchmark, Path | str | CorrectedData | None]:
    """The benchmark and its data; a file of sessions in place of a benchmark's name is data of one's own."""
    if not isinstance(benchmark, str) or not is_session_file(benchmark):
        return benchmark, data
    source = data if isinstance(data, CorrectedData) else CorrectedData(data)
    if source.file is not None:
        raise UsageError(f"--data: {benchmark} is a file of sessions already; name the data once")
    return SESSIONS_BENCHMARK, replace(source, file=benchmark)


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


def _suited(plan: Plan) -> Plan:
    """The plan with a limit of reply tokens for a server on this machine, and with what a server of one's own says of
    itself. Raises UsageError where it would leave out the tools."""
    opening = plan.openings["assistant"]
    capped = _limited(opening, plan.model, plan.folder)
    options = capped.options
    endpoint = endpoint_of(plan.model)
    facts = ask_server(endpoint, str(plan.model.describe()["model"])) if endpoint else None
    if facts is None and capped is opening:
        return plan
    facts = facts or ServerFacts()
    if endpoint and _drops_tools(plan.model, endpoint, facts, next(plan.episode(plan.samples[0]))):
        raise UsageError(
            f"{plan.model.name}: its server leaves the tools out of the prompt, because the chat template has no place "
            "for them; use --dialect generic, or serve the model with a template that has one (`toolgauge serve "
            "--template FILE`)"
        )
    if facts.slots:
        options = replace(options, slots=facts.slots, concurrency=min(options.concurrency, facts.slots))
    added = None if capped is opening else options.sampling.max_tokens
    server = ServerRecord(facts.engine, facts.context, facts.slots, added, facts.template, facts.parser)
    opening = ModelOpening(opening.spec, options)
    decoding = decoding_of(plan.manifest.model or ModelRecord(), facts.engine)
    return replace(
        plan,
        models=plan.models | {"assistant": opening.open()},
        openings=plan.openings | {"assistant": opening},
        manifest=replace(plan.manifest, sampling=options.sampling.recorded, server=server, decoding=decoding),
    )


def _drops_tools(model: Model, endpoint: Endpoint, facts: ServerFacts, request: Request) -> bool:
    """Does a server leave the tools of a request out of the prompt? By its own count of tokens, else by the look of its
    template. False where none are sent: a dialect or a benchmark writes them into the prompt."""
    from toolgauge.models.client import EndpointModel

    if not isinstance(model, EndpointModel) or not request.tools:
        return False
    tokens = count_tokens(endpoint, facts.engine, model.body(request))
    if tokens is None:
        return facts.drops_tools
    return tokens == count_tokens(endpoint, facts.engine, model.body(replace(request, tools=())))


def _limited(opening: ModelOpening, model: Model, folder: Path) -> ModelOpening:
    """The opening with the limit of reply tokens that the run in the folder began with, else that of this machine."""
    if (folder / MANIFEST).exists() and not is_free(folder):
        server = read_manifest(folder).server
        return limited(opening, server.max_tokens) if server and server.max_tokens else opening
    return limited(opening) if is_on_this_machine(model) else opening


def plan_with(benchmark: str | Benchmark, model: str, options: RunOptions) -> Plan:
    """`plan_run` with the options of `toolgauge.run`."""
    selection = options.selection
    return plan_run(
        benchmark,
        model,
        language=selection.language,
        data=CorrectedData(selection.data, selection.corrections),
        out=options.output.out,
        setup=options.setup(),
        options=options.model_options(),
        roles=options.roles,
        offline=selection.offline,
    )


def _open_role(
    role: str,
    chosen: Role,
    models: dict[str, Model],
    openings: dict[str, ModelOpening],
    options: ModelOptions,
    benchmark: Benchmark,
) -> tuple[str, ...]:
    """Open the models of a role, or the usual one: a script beside a built-in model, else what the benchmark declares.
    Returns the names under which they are known in the run. The measured model's address, key, dialect and sampling are
    its own. Raises UsageError."""
    declared = getattr(benchmark, "roles", {}).get(role, DeclaredRole())
    otherwise = f"; or {declared.without}" if declared.without else ""
    usual = SCRIPTED_ROLE if models["assistant"].describe()["provider"] == BUILTIN else declared.model
    if not (chosen.models or usual):
        raise UsageError(
            f"{benchmark.name}: nobody plays the role {role}; name a model with --role {role}=PROVIDER/MODEL{otherwise}"
        )
    plain = replace(options, base_url=None, api_key=None, dialect=None, sampling=Sampling())
    specs = chosen.models or (parse_model(str(usual)),)
    chosen = replace(chosen, settings={**declared.settings, **chosen.settings})
    for spec in specs:
        member = member_of(role, spec.model, len(specs) > 1)
        opening = ModelOpening(spec.model, chosen.reached(plain, spec.base_url))
        try:
            model = opening.open()
        except MissingKey as error:
            raise UsageError(
                f"{benchmark.name}: the role {role} is played by {spec.model}, which has no key: set {error.variable} "
                f"(also in .env of this folder) or name another model with --role {role}=PROVIDER/MODEL{otherwise}"
            ) from error
        openings[member] = limited(opening) if is_on_this_machine(model) else opening
        models[member] = openings[member].open() if is_on_this_machine(model) else model
    return tuple(member_of(role, spec.model, len(specs) > 1) for spec in specs)


def _role_records(
    pools: Mapping[str, tuple[str, ...]], models: Mapping[str, Model], openings: Mapping[str, ModelOpening]
) -> dict[str, object]:
    """What run.json says of the models beside the measured one."""
    sampling = {role: openings[members[0]].options.sampling for role, members in pools.items()}
    records: dict[str, object] = {}
    members = [member for pool in pools.values() for member in pool]
    if members == ["user"]:
        records["user_model"] = model_record(models["user"])
    elif members:
        records["role_models"] = {member: model_record(models[member]) for member in members}
    settings_by_role = {role: settings.recorded for role, settings in sampling.items() if settings != Sampling()}
    if (user := settings_by_role.pop("user", None)) is not None:
        records["user_sampling"] = user
    if settings_by_role:
        records["role_sampling"] = settings_by_role
    return records


def _folder_name(model: Model) -> str:
    """Of a run directory that nobody named; native calls and a dialect are runs of their own."""
    dialect = model.describe().get("dialect")
    return slug(f"{model.name}-{dialect}" if dialect else model.name)


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
        raise UsageError(f"{benchmark.name}: has no data of its own; name a file with --data")
    return fetch_path(source(benchmark.source), offline=offline)
