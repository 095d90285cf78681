"""Files are written in one place: whoever opens, makes or moves one elsewhere would do it through links."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import toolgauge

ROOT = Path(toolgauge.__file__).parent
WRITING = {"mkdir", "makedirs", "write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "rename", "rmtree"}
WRITING |= {"copytree", "copyfile", "copy2", "move", "NamedTemporaryFile", "TemporaryDirectory", "mkstemp", "mkdtemp"}
ALLOWED = {
    ("files.py", "mkdir"),
    ("report/site_folder.py", "mkdir"),
    ("report/site_folder.py", "rename"),
    ("report/site_folder.py", "rmtree"),
    ("cli/report.py", "TemporaryDirectory"),
    ("report/exports/details.py", "TemporaryDirectory"),
    ("review/export.py", "TemporaryDirectory"),  # what is checked before it leaves
    ("generation/formats/files.py", "TemporaryDirectory"),  # what is only compared
    ("runs/corrections.py", "NamedTemporaryFile"),  # what is only read again
    ("data/schemas.py", "rename"),  # what renames the fields of a schema
    ("tools/texts.py", "fdopen"),  # of a pipe
    ("cli/serve.py", "fdopen"),  # of a descriptor that files.py opened
}


def writers(path: Path) -> Iterator[str]:
    """The names of the calls of a module that make, move or open files for writing."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [
            one.value for one in (*node.args, *(key.value for key in node.keywords)) if isinstance(one, ast.Constant)
        ]
        modes = [text for text in texts if isinstance(text, str) and len(text) < 4 and set(text) & set("wax+")]
        if name in WRITING or (name in ("open", "fdopen") and any(set(mode) <= set("wax+bt") for mode in modes)):
            yield name


def test_nobody_writes_but_the_one_writer() -> None:
    modules = sorted(ROOT.rglob("*.py"))
    found = {(path.relative_to(ROOT).as_posix(), name) for path in modules for name in writers(path)}
    assert ("files.py", "mkdir") in found
    assert {pair for pair in found if pair[0] != "files.py"} - ALLOWED == set()
