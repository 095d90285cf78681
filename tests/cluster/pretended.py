"""A stand-in for Ray within this process: actors are objects, their calls are tasks, and they die when they are told.

Only what `toolgauge.runs.executors.ray` uses of it. It is here so that what happens around deaths is tested to the
call, and without Ray being installed.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

Fate = Callable[[int, str, int], bool]
"""(number of the actor, name of the method, how often it was called on it, from 0) -> does it die of this call?"""


class ActorDied(Exception):
    """As `ray.exceptions.RayError`."""


class _Method:
    def __init__(self, actor: PretendedActor, name: str) -> None:
        self._actor, self._name = actor, name

    def remote(self, *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.ensure_future(self._actor.call(self._name, arguments))


class PretendedActor:
    def __init__(self, ray: PretendedRay, made: Any) -> None:
        self._ray, self._made, self.alive = ray, made, True
        self.number = len(ray.actors)
        self._calls: dict[str, int] = {}
        ray.actors.append(self)

    def __getattr__(self, name: str) -> _Method:
        return _Method(self, name)

    async def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """What crosses between machines is pickled, both ways."""
        count = self._calls[name] = self._calls.get(name, -1) + 1
        sent = pickle.loads(pickle.dumps(arguments))
        answer = await getattr(self._made, name)(*sent) if self.alive else None
        if not self.alive or self._ray.fate(self.number, name, count):
            self.alive = False
            raise ActorDied("The actor died unexpectedly before finishing this task.\n  more of it")
        return pickle.loads(pickle.dumps(answer))


class PretendedRay:
    class exceptions:
        RayError = ActorDied

    def __init__(self, processors: int = 2, fate: Fate = lambda *_: False) -> None:
        self.processors, self.fate = processors, fate
        self.actors: list[PretendedActor] = []

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.processors)}

    def put(self, value: Any) -> Any:
        return pickle.loads(pickle.dumps(value))

    def remote(self, kind: type) -> Any:
        ray = self

        class Hire:
            def options(self, **_: Any) -> Any:
                return self

            def remote(self) -> PretendedActor:
                return PretendedActor(ray, kind())

        return Hire()

    def kill(self, actor: PretendedActor) -> None:
        actor.alive = False
