"""`toolgauge generate`: make dialogues with tool calls, and the files that are made of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.agent_options import AgentFlags
from toolgauge.cli.engine_options import Concurrency, EngineFlags
from toolgauge.cli.model_options import EndpointFlags, SamplingFlags
from toolgauge.cli.option_groups import expanded
from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.generation.formats.spending import Spending
    from toolgauge.generation.spec import GenerationResult

SHOWN = 8
"""Reasons for rejections that the summary names."""


@expanded
def generate(
    tools: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tool lists, JSON lines (default: the embedded library).")
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Tasks per dialogue (4); all 4^N paths.")
    ] = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    model: Annotated[
        str | None, typer.Option("-m", "--model", metavar="MODEL", help="Plays every agent: provider/model.")
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Only say what it will take: requests, tokens, dollars."),
    ] = False,
    *,
    agents: AgentFlags,
    out: Annotated[Path | None, typer.Option(help="Run directory (default: generated/, then language).")] = None,
    paths: Annotated[
        str | None, typer.Option(help='Only these: kinds by commas, paths by semicolons: "single,clarify,chat; CC,MT".')
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, metavar="K", help="K paths, kinds and changes balanced.")] = None,
    per_path: Annotated[int, typer.Option(min=1, metavar="N", help="Dialogues of each path.")] = 1,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.")] = 0,
    year: Annotated[
        int | None, typer.Option(metavar="N", help="That dialogues are set in (default: when this was begun).")
    ] = None,
    concurrency: Concurrency = 32,
    candidates: Annotated[
        bool, typer.Option("--candidates", help="Have five proposals made for every task, and keep them for review.")
    ] = False,
    scenarios: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Personas, situations, utterances: JSON lines.")
    ] = None,
    examples: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Examples that guide later tasks, instead of ours.")
    ] = None,
    gates: Annotated[
        str | None,
        typer.Option("--filters", "--gates", metavar="NAMES", help="Only these filters, by commas; or all, none."),
    ] = None,
    no_gate: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Switch a gate off; may be repeated.")
    ] = None,
    attempts: Annotated[
        int, typer.Option(min=1, metavar="N", help="Dialogues begun, each over other tools, before a slot is given up.")
    ] = 3,
    vague: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="X", help="Share of answers that do not say what was asked.")
    ] = 0.25,
    resume_from: Annotated[
        Path | None, typer.Option(metavar="SESSIONS", help="Add one task to each of these reviewed sessions.")
    ] = None,
    layer: Annotated[
        int | None, typer.Option(metavar="K", help="The number of the task that --resume-from adds (checked).")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Scripted agents play everybody: no model, no network.")] = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="With --demo: they write as real models do, with reasoning, names, remarks.")
    ] = False,
    sampling: SamplingFlags,
    sampling_seed: Annotated[int | None, typer.Option(help="The provider's sampling seed.")] = None,
    endpoint: EndpointFlags,
    engine: EngineFlags,
    overwrite: Overwrite = False,
) -> None:
    """Make dialogues with tool calls. The same command continues an interrupted generation."""
    from toolgauge.cli.endpoints import tell_endpoints, warn_of_open_keys
    from toolgauge.cli.estimate import show_estimate
    from toolgauge.cli.generation_progress import GenerationProgress
    from toolgauge.demo import LibraryAgents
    from toolgauge.generation.model_roles import unasked
    from toolgauge.generation.options import GenerateOptions
    from toolgauge.generation.spec import carry_out_generation, plan_generation

    warn_of_open_keys(endpoint.api_key, endpoint.base_url, *agents.base_urls().values())
    options = GenerateOptions(
        tools=tools,
        language=language,
        tasks=tasks,
        paths=paths,
        sample=sample,
        per_path=per_path,
        seed=seed,
        year=year,
        out=out,
        scenarios=scenarios,
        examples=examples,
        gates=_gates(gates, no_gate),
        candidates=candidates,
        attempts=attempts,
        vague=vague,
        resume_from=resume_from,
        layer=layer,
        concurrency=concurrency,
        sampling=sampling.sampling(sampling_seed),
        overwrite=overwrite,
        **agents.keywords(),
        **endpoint.keywords(),
        **engine.keywords(),
    )
    roles = options.roles(_player(model, demo, noise))
    generated, reached = options.generation_options(), options.model_options()
    plan = plan_generation(generated, roles, unasked(reached) if estimate else reached, options.out, LibraryAgents)
    if estimate:
        show_estimate(plan)
        return
    tell_endpoints(plan.models.members.values())
    with GenerationProgress(plan) as bar:
        result = carry_out_generation(
            plan,
            options.concurrency,
            options.overwrite,
            **options.limits(),
            listener=bar,
            probing=None if engine.no_probe else _ignore,
            stop_on_interrupt=True,
        )
    _report(result)


def _player(model: str | None, demo: bool, noise: bool) -> str | None:
    """Who plays every agent: the model that is named, or scripted agents if they are asked for."""
    from toolgauge.generation.spec import DEMO, NOISY_DEMO

    if noise and not demo:
        raise UsageError("--noise goes with --demo")
    return model or ((NOISY_DEMO if noise else DEMO) if demo else None)


def _gates(named: str | None, without: list[str] | None) -> tuple[str, ...]:
    """The gates as `filter_names` reads them; what is to be left out comes last."""
    listed = [part.strip() for part in (named or "default").split(",") if part.strip()]
    return (*listed, *(f"-{name.removeprefix('-')}" for name in without or ()))


def _ignore(_result: object) -> None:
    """Agents answer in words: that an endpoint answers at all is enough."""


def _report(result: GenerationResult) -> None:
    """The summary, and what is left to do; exit code 1 if a dialogue failed."""
    from toolgauge.cli.show import report_unfinished
    from toolgauge.cli.spent import spent_line

    for note in result.notes:
        echo(note, err=True)
    slots = result.coverage.slots
    produced = (
        "Dialogues accepted: {produced:,} of {requested:,}, given up: {rejected:,}, not there yet: {missing:,}".format(
            **{name: getattr(slots, name) for name in ("produced", "requested", "rejected", "missing")}
        )
    )
    echo(produced)
    reasons = result.coverage.attempts.rejected
    if reasons:
        named = ", ".join([f"{reason} {count:,}" for reason, count in list(reasons.items())[:SHOWN]])
        echo(f"Attempts rejected: {sum(reasons.values()):,} ({named})")
    echo(spent_line(result))
    _report_losses(result.coverage.spending)
    if cut := result.coverage.cut_off:
        named = ", ".join([f"{role} {count:,}" for role, count in cut.items()])
        echo(f"Replies cut off by the token limit: {sum(cut.values()):,} ({named})")
    echo(f"Files: {result.folder}")
    for line in (
        "  sessions.jsonl (to run and review), raw.jsonl, simplified.jsonl, captures.jsonl, "
        "openai.jsonl,\n  sharegpt.jsonl, dialogues.md (to read), rejected.jsonl, coverage.json"
    ).splitlines():
        echo(line)
    report_unfinished(result.folder, result.outcome)


def _report_losses(spending: Spending) -> None:
    """One line about what was spent on anything but dialogues, if there is any."""
    from toolgauge.cli.spent import dollars

    parts = [
        ("rejected attempts", spending.all_rejected),
        ("what was made again", spending.repairs),
        ("dialogues under way", spending.unfinished),
    ]
    said = [
        f"{what} {one.requests:,} request{'' if one.requests == 1 else 's'}, {one.tokens:,} tokens{dollars(one.cost)}"
        for what, one in parts
        if one.requests
    ]
    if said:
        echo(f"Of these: {'; '.join(said)}")
