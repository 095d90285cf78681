"""The Dockerfile and the workflows of GitHub, as far as they can be checked without either (`make release-check` has
their linters): nothing runs as root, nothing is taken by a name that can move, nobody may do more than is needed."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml

from tests.docs.pages import ROOT
from tests.rows import rows

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def jobs(name: str) -> dict[str, dict[str, Any]]:
    text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)["jobs"]
    return found


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: the word in capitals, and what stands behind it."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(word, rest) for word, _space, rest in (line.partition(" ") for line in lines if line.strip())]


@rows("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_permissions_are_named(workflow: Any) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []
    assert yaml.safe_load(text)["permissions"] == {}
    assert set(re.findall(r"make (?:PYTHON=python )?([\w-]+)", text)) <= TARGETS
    for job in jobs(workflow.name).values():
        assert job["timeout-minutes"]
        assert job["permissions"] in ({"contents": "read"}, {"id-token": "write"})


def test_only_the_job_that_publishes_may_prove_who_it_is_and_it_runs_nothing_of_ours() -> None:
    (build, publish) = jobs("release.yml").values()
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["needs"] == "build"
    assert [step for step in publish["steps"] if "run" in step] == []
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_every_python_that_we_name_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {match[1] for one in project["classifiers"] if (match := re.fullmatch(r".* :: (3\.\d+)", one))}
    tested = set(jobs("tests.yml")["tests"]["strategy"]["matrix"]["python"])
    assert named <= tested
    assert project["requires-python"] == f">={min(named, key=lambda one: int(one[2:]))}"


def test_the_image_runs_as_nobody_special() -> None:
    found = instructions()
    assert {word for word, _ in found} <= {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    last = max(place for place, (word, _) in enumerate(found) if word == "FROM")
    users = [rest for word, rest in found[last:] if word == "USER"]
    assert [int(user) for user in users] == [1000]
    assert all("latest" not in rest for word, rest in found if word == "FROM")
    assert [rest for word, rest in found if word == "ENTRYPOINT"] == ['["toolgauge"]']


def test_the_image_is_built_from_what_the_package_needs_alone() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*"
    kept = {line[1:] for line in lines if line.startswith("!")}
    assert kept == {"src", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"}
    assert all((ROOT / name).exists() for name in kept)
