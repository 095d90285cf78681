"""A package as an installer would lay it out, without an installer: its modules, and its metadata beside them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

from tests.warm.server import warm_toolgauge

ROOT = Path(__file__).parents[2]
PHONE_BOOK = ROOT / "examples" / "benchmark_plugin"


def install(package: Path, site: Path) -> None:
    """Lay out the package of a folder (with a pyproject.toml) in `site`, as `pip install --target` does."""
    content = tomllib.loads((package / "pyproject.toml").read_text())
    project = content["project"]
    for module in content["tool"]["setuptools"]["packages"]:
        shutil.copytree(package / module, site / module)
    metadata = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    named = f"Name: {project['name']}\nVersion: {project['version']}\n"
    about = f"Summary: {project['description']}\n" if "description" in project else ""
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\n{named}{about}")
    points = project["entry-points"]["toolgauge.benchmarks"]
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[toolgauge.benchmarks]\n{lines}")


def toolgauge(folder: Path, site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in `folder`, with the packages of `site`."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{site}",
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
    }
    command = [*warm_toolgauge(f"import sys; sys.path.insert(0, {str(site)!r})"), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
