"""The solver: one of our episodes, whose requests an Inspect model answers.

Nothing is carried out by Inspect: what comes back for a call, the episode knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from inspect_ai.model import Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Role, Sample, Setup
from toolgauge.chat import Reply, Request
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Episode, Step, Stop, Trajectory
from toolgauge.errors import ContextOverflow, ProviderError
from toolgauge.integrations.inspect_ai.builtin import BuiltinModelAPI, gold_hint_for
from toolgauge.integrations.inspect_ai.conversation import InspectConversation
from toolgauge.integrations.inspect_ai.message_adapter import failure_of, is_overflow, reply_of
from toolgauge.integrations.inspect_ai.raw_calls import listener
from toolgauge.integrations.inspect_ai.task_spec import open_asked, unit_of
from toolgauge.runs.executors.local import drive_aside

TRAJECTORY = "toolgauge:trajectory"
"""Where a sample's store has what was said; all that the scorer reads."""
SCRIPTED_ROLE = "toolgauge/oracle"


@solver
def converse(
    benchmark: str,
    language: str = "en",
    data: str | None = None,
    options: dict[str, object] | None = None,
    corrections: str | None = None,
) -> Solver:
    """Have the conversation of a sample. The parameters are those of the task; options: the benchmark's own."""
    setup = Setup(options=options or {})

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - tools are never Inspect's
        asked = open_asked(benchmark, language, data, setup, corrections)
        sample = unit_of(str(state.sample_id), state.metadata, state.epoch)
        own = asked.benchmark
        episode_run = EpisodeRun(state, sample, getattr(own, "roles", {}))
        try:
            trajectory = await episode_run.have(
                lambda: own.episode(asked.dataset, sample, setup), getattr(own, "blocking", True)
            )
        except BaseException:  # a limit of Inspect's, for one: what was said until then is judged
            state.store.set(TRAJECTORY, _kept(episode_run.so_far()))
            raise
        state.store.set(TRAJECTORY, _kept(trajectory))
        return state

    return solve


class EpisodeRun:
    """An episode under way."""

    def __init__(self, state: TaskState, sample: Sample, roles: Mapping[str, Role]) -> None:
        self.state, self.sample, self.roles = state, sample, roles
        self._steps: list[Step] = []
        self._sides: dict[str, InspectConversation] = {}

    async def have(self, opening: Callable[[], Episode], blocking: bool) -> Trajectory:
        """Answer its requests until it ends. blocking: in a thread of its own."""

        async def answered(request: Request) -> Reply:
            reply = await self._answer(request)
            self._steps.append(Step((), reply, self._task_index(request), request.role))
            return reply

        if blocking:
            return await drive_aside(opening, answered)
        episode = opening()
        try:
            request = next(episode)
            while True:
                request = episode.send(await answered(request))
        except StopIteration as end:
            trajectory: Trajectory = end.value
            return trajectory

    def so_far(self) -> Trajectory:
        """What was said, of an episode that did not end."""
        sample = self.sample
        steps, stopped = tuple(self._steps), Stop.BROKEN_OFF
        return Trajectory(sample.key, sample.session_id, steps, sample.task_index, sample.epoch, stopped=stopped)

    async def _answer(self, request: Request) -> Reply:
        """Ask the model of the request's role. The sample's messages are those of the model that is measured."""
        side = self._sides.setdefault(request.role, InspectConversation())
        messages, tools = side.messages(request), side.tools(request)
        model, measured = model_of(request.role, self.roles), request.role == ASSISTANT
        if measured:
            self.state.messages = messages
        with gold_hint_for(request):
            output = await model.generate(messages, tools)
        if measured:
            self.state.output = output
            if output.choices:
                self.state.messages = [*messages, output.message]
        if trouble := failure_of(output):  # an error of the sample, which Inspect repeats; never the model's mistake
            failed = ContextOverflow if is_overflow(output) else ProviderError
            raise failed(": ".join([model.name, trouble]))
        return reply_of(output)

    def _task_index(self, request: Request) -> int:
        """Of whole sessions the request says which task it is for ("<session>/<index>#<epoch>")."""
        if self.sample.task_index is not None:
            return self.sample.task_index
        number = without_epoch(request.episode).rpartition("/")[2]
        return int(number) if number.isdigit() else 0


def model_of(role: str, roles: Mapping[str, Role]) -> Model:
    """The model of the evaluation, or that of a model role, by default the one that the benchmark declares; a built-in
    model has the others played by script."""
    if role == ASSISTANT:
        return listener(get_model())
    usual = SCRIPTED_ROLE if isinstance(get_model().api, BuiltinModelAPI) else roles.get(role, Role()).model
    return listener(get_model(role=role, default=usual))


def _kept(trajectory: Trajectory) -> object:
    """What scoring reads of it; messages and tools stand in the log already."""
    steps = tuple(replace(step, messages=(), reply=replace(step.reply, echo=None)) for step in trajectory.steps)
    return msgspec.to_builtins(replace(trajectory, steps=steps, tools=()))
