"""Where the library of an extra is missing, one line says what needs it and which command installs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import toolgauge
from toolgauge.errors import MissingExtra
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.results import open_run


def test_an_export_that_needs_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toolgauge.run("mini", "builtin/oracle", out=tmp_path / "run")
    monkeypatch.setitem(sys.modules, "polars", None)
    wanted = ExportRequest.of([open_run(tmp_path / "run")])
    with pytest.raises(MissingExtra) as caught:
        export(wanted, "parquet", tmp_path / "out")
    expected = "--to parquet needs polars; install it with: pip install 'toolgauge[parquet]'"
    assert str(caught.value) == expected
    assert caught.value.exit_code == 2
    assert not (tmp_path / "out").exists()
    export(wanted, "xlsx", tmp_path / "out.xlsx")
