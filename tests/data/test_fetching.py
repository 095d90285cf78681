"""Fetching public data sets, against a server on this machine."""

from __future__ import annotations

import base64
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.fetch_server import COMMIT, Server, git_blob, playing_host, served_data
from toolgauge.benchmarks import catalogue
from toolgauge.benchmarks.catalogue import CATALOGUE
from toolgauge.data import fetch
from toolgauge.data.fetch import FetchError, is_cached
from toolgauge.data.files import DataSource, RemoteFile

CONTENT = b'{"id": "x"}\n' * 1000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    files = (RemoteFile("some/da ta.jsonl", git_blob(CONTENT)), RemoteFile("some/10:20:30.jsonl", git_blob(b"two")))
    monkeypatch.setitem(CATALOGUE, "both", DataSource("both", "", "owner/name", COMMIT, files))
    monkeypatch.setitem(CATALOGUE, "one", DataSource("one", "", "owner/name", COMMIT, files[:1]))
    with served_data(monkeypatch, tmp_path / "cache") as one:
        yield one


def cached(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "cache").rglob("*") if path.is_file())


def test_files_are_fetched_once_and_verified(server: Server, tmp_path: Path) -> None:
    server.offer("some/da ta.jsonl", CONTENT)
    server.offer("some/10:20:30.jsonl", b"two")
    seen: list[tuple[str, int, int]] = []
    paths = fetch.fetch(catalogue.source("both"), progress=lambda *news: seen.append(news))
    assert [path.name for path in paths] == ["da_ta.jsonl", "10_20_30.jsonl"]
    assert paths[0].read_bytes() == CONTENT
    assert seen[-1] == ("10_20_30.jsonl", 3, 3)
    assert all(done <= total for _, done, total in seen)
    assert fetch.fetch(catalogue.source("both")) == fetch.fetch(catalogue.source("both"), offline=True) == paths
    assert len(server.asked) == 2
    assert is_cached(catalogue.source("both"))
    assert cached(tmp_path) == ["10_20_30.jsonl", "da_ta.jsonl"]


def test_the_login_of_a_mirror_is_sent_and_never_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor is it sent on to where the mirror redirects."""
    monkeypatch.setenv("TOOLGAUGE_RAW_BASE", server.address.replace("://", "://me:geh%40im@") + "/")
    with pytest.raises(FetchError, match="HTTP 404") as caught:
        fetch.fetch(catalogue.source("one"))
    shown = "".join(traceback.format_exception(caught.value)) + "".join(capfd.readouterr())
    assert "geh" not in shown
    with playing_host() as elsewhere:
        elsewhere.offer("some/da ta.jsonl", CONTENT)
        server.to = elsewhere.address
        assert fetch.fetch(catalogue.source("one"))[0].read_bytes() == CONTENT
    assert server.logins == ["Basic " + base64.b64encode(b"me:geh@im").decode()] * 2
    assert elsewhere.logins == [None]


def test_what_comes_too_slowly_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """However long a server goes on: after a while it must have brought a little per second."""
    server.drip = 0.05
    server.offer("some/da ta.jsonl", CONTENT, announced=10**9)
    monkeypatch.setattr(fetch, "PATIENCE", 0.3)
    monkeypatch.setattr(fetch, "SLOWEST", 10**6)
    with pytest.raises(FetchError, match=r"too slow \([\d,]+ B in \d+ s\)"):
        fetch.fetch(catalogue.source("one"))
    assert len(server.asked) == 1
    assert cached(tmp_path) == []


def test_what_is_too_large_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server.offer("some/da ta.jsonl", CONTENT * 200)
    monkeypatch.setattr(fetch, "MAX_DOWNLOAD_BYTES", 1 << 20)
    with pytest.raises(FetchError, match="larger than 1 MB"):
        fetch.fetch(catalogue.source("one"))
    assert cached(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "status", "announced", "expected"),
    [
        (b"other", 200, None, "differs from the published one"),
        (CONTENT[:500], 200, None, "differs from the published one"),
        (CONTENT[:500], 200, len(CONTENT), "connection failed"),
        (b"<html>", 404, None, "HTTP 404"),
        (b"", 403, None, "HTTP 403"),
        (b"", 500, None, "HTTP 500 after several attempts"),
    ],
)
def test_what_is_wrong_is_never_kept(
    server: Server, tmp_path: Path, content: bytes, status: int, announced: int | None, expected: str
) -> None:
    server.offer("some/da ta.jsonl", content, status, announced)
    with pytest.raises(FetchError, match=expected) as error:
        fetch.fetch(catalogue.source("one"))
    assert "\n" not in str(error.value)
    assert cached(tmp_path) == []


@pytest.mark.parametrize("level", ["cache", "cache/one", f"cache/one/{COMMIT[:12]}"])
def test_the_cache_may_be_a_link_but_no_folder_in_it(level: str, server: Server, tmp_path: Path) -> None:
    server.offer("some/da ta.jsonl", CONTENT)
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / level).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / level).symlink_to(outside)
    if level == "cache":
        assert fetch.fetch(catalogue.source("one"))[0].read_bytes() == CONTENT
        return
    with pytest.raises(FetchError, match=r"cannot write .*: is a symbolic link; set TOOLGAUGE_CACHE"):
        fetch.fetch(catalogue.source("one"))
    assert list(outside.iterdir()) == []
    assert server.asked == []
