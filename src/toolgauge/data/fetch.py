"""Fetching public data sets: downloaded once, verified by their git blob id, kept in a cache folder.

What arrives is verified before it gets its name in the cache, and again whenever it is used, so that a partial, wrong
or damaged file is never taken for the data set.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import BinaryIO, cast
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

from toolgauge.data.files import DataSource, RemoteFile
from toolgauge.errors import StoreError, ToolgaugeError, UsageError, os_cause
from toolgauge.files import folder_below, make_folders, open_regular, replacing
from toolgauge.network import proxy_for, tls_context

RAW_BASE = "https://raw.githubusercontent.com"
"""Where files of public repositories are served raw; TOOLGAUGE_RAW_BASE names a mirror."""
TIMEOUT = 60.0
"""Seconds without an answer before a download counts as failed."""
PATIENCE, SLOWEST = 15.0, 1_000
"""After so many seconds a download that has brought fewer bytes per second is given up."""
MAX_DOWNLOAD_SECONDS = 7200.0
MAX_DOWNLOAD_BYTES = 1 << 30
RETRIES = 2
"""Further tries when the connection fails."""
PART = 1 << 16
"""Bytes read at once."""

Progress = Callable[[str, int, int], None]
"""Told of a download: file name, bytes so far, bytes in all (0 where the server does not say)."""


class FetchError(ToolgaugeError):
    """A data set is not in the cache and cannot be fetched; the message says why and what to do."""


def fetch(
    source: DataSource,
    cache_dir: Path | str | None = None,
    offline: bool = False,
    progress: Progress | None = None,
) -> tuple[Path, ...]:
    """The files of a public data set, in the catalogue's order; downloads what is not in the cache yet.

    Files derived from them (`DataSource.finish`) are made if they are missing. cache_dir: see `cache_folder`.
    offline: never touch the network. Raises FetchError if a file cannot be fetched.
    """
    paths = tuple(cached_path(source, file, cache_dir) for file in source.files)
    for file, path in zip(source.files, paths, strict=True):
        if is_whole(path, file.blob):
            continue
        if offline:
            state = "is damaged" if path.exists() else "not found"
            raise FetchError(f"{path} {state}; run `toolgauge data fetch {source.name}` (needs network access)")
        _make_place(path, cache_dir)
        _fetch_one(source, file, path, progress)
    if source.finish is not None:
        folder = data_set_folder(source, cache_dir)
        try:
            source.finish(folder)
        except OSError as error:
            raise _unwritable(Path(error.filename or folder), error) from error
    return paths


def fetch_path(
    source: DataSource,
    cache_dir: Path | str | None = None,
    offline: bool = False,
    progress: Progress | None = None,
) -> Path:
    """A public data set as one path: its only file, or its folder (`DataSource.folder`); had as `fetch` has it.

    Raises UsageError where it is several files without a folder, and what `fetch` raises.
    """
    paths = fetch(source, cache_dir, offline, progress)
    if source.folder:
        return data_set_folder(source, cache_dir) / source.folder
    if len(paths) > 1:
        raise UsageError(f"{source.name} has {len(paths)} files; choose one in {paths[0].parent}")
    return paths[0]


def cache_folder(cache_dir: Path | str | None = None) -> Path:
    """The folder for downloads: the one given, else TOOLGAUGE_CACHE, else the platform's cache folder."""
    chosen = cache_dir or os.environ.get("TOOLGAUGE_CACHE")
    if chosen:
        return Path(chosen)
    if xdg := os.environ.get("XDG_CACHE_HOME", "").strip():
        return Path(xdg) / "toolgauge"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "toolgauge"


def cached_path(source: DataSource, file: RemoteFile, cache_dir: Path | str | None = None) -> Path:
    """Where a file of a data set lies, or would lie, in the cache."""
    return data_set_folder(source, cache_dir) / file.safe_name


def data_set_folder(source: DataSource, cache_dir: Path | str | None = None) -> Path:
    """The folder of a data set in the cache."""
    return cache_folder(cache_dir) / source.name / source.commit[:12]


def is_cached(source: DataSource, cache_dir: Path | str | None = None) -> bool:
    """Are all files of a data set in the cache, whole?"""
    return all(is_whole(cached_path(source, file, cache_dir), file.blob) for file in source.files)


def blob_id(path: Path | str) -> str:
    """The git object id of a file's content: sha1 over `blob <size in bytes>`, a zero byte and the content."""
    with open_regular(path) as file:
        return _blob_of(file)


def _blob_of(file: BinaryIO) -> str:
    digest = hashlib.sha1(b"blob %d\0" % os.fstat(file.fileno()).st_size, usedforsecurity=False)
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def is_whole(path: Path, blob: str) -> bool:
    """Does the file exist with exactly the content of that id?"""
    try:
        return blob_id(path) == blob
    except OSError:
        return False


def _make_place(target: Path, cache_dir: Path | str | None) -> None:
    """Make the folders around a file of the cache; the cache itself may be a link, what is in it not."""
    cache = cache_folder(cache_dir)
    try:
        make_folders(cache)
        folder_below(cache, target.parent.relative_to(cache).as_posix())
    except OSError as error:
        raise _unwritable(error.filename or target, error) from error


def _fetch_one(source: DataSource, file: RemoteFile, target: Path, progress: Progress | None) -> None:
    """Download a file, again where that may help; what has another blob id never gets its name."""
    base, login = _parted(os.environ.get("TOOLGAUGE_RAW_BASE") or RAW_BASE)
    url = f"{base.rstrip('/')}/{source.repository}/{source.commit}/{quote(file.path)}"
    try:
        target.unlink(missing_ok=True)
        for attempt in range(RETRIES + 1):
            try:
                with _opened(url, login, target) as response, replacing(target) as saved:
                    _receive(response, saved, url, file, target, progress)
                return
            except _PassingError:
                if attempt == RETRIES:
                    raise
                time.sleep(min(attempt + 1, 10))
    except OSError as error:
        raise _unwritable(target, error) from error
    except StoreError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise _unwritable(target, error.__cause__) from error


def _unwritable(place: Path, error: OSError) -> FetchError:
    return FetchError(f"cannot write {place}: {os_cause(error)}; set TOOLGAUGE_CACHE to another folder")


def _parted(base: str) -> tuple[str, tuple[str, str] | None]:
    """An address without the name and password in it, which no message may show, and these."""
    try:
        parts = urlsplit(base)
    except ValueError:
        raise UsageError("TOOLGAUGE_RAW_BASE must be a URL such as https://host/path") from None
    login, at, host = parts.netloc.rpartition("@")
    name, _colon, password = login.partition(":")
    return urlunsplit(parts._replace(netloc=host)), (unquote(name), unquote(password)) if at else None


class _PassingError(FetchError):
    """Another try may help."""


def _opened(url: str, login: tuple[str, str] | None, target: Path) -> HTTPResponse:
    """The answer, when its head is there; redirects are followed, without the login."""
    try:
        request = Request(url, headers={"Accept-Encoding": "gzip"})  # noqa: S310 - the user's own mirror
        if login:
            encoded = base64.b64encode(":".join(login).encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {encoded}")
        proxy = proxy_for(url)
        proxies = ProxyHandler({"http": proxy, "https": proxy} if proxy else {})
        opener = build_opener(proxies, HTTPSHandler(context=tls_context()))
        return cast(HTTPResponse, opener.open(request, timeout=TIMEOUT))
    except HTTPError as error:
        status = f"cannot download {url}: HTTP {error.code}"
        if error.code in (408, 429) or error.code >= 500:
            raise _PassingError(f"{status} after several attempts; try again later") from error
        raise FetchError(f"{status}; check TOOLGAUGE_RAW_BASE, or update toolgauge") from error
    except (OSError, HTTPException, ValueError) as error:
        raise _lost(url, target, error) from error


def _lost(url: str, target: Path, error: Exception) -> _PassingError:
    late = isinstance(getattr(error, "reason", error), TimeoutError)
    return _PassingError(
        f"cannot download {url}: {'timed out' if late else 'connection failed'} after several attempts; check the "
        f"network, set TOOLGAUGE_RAW_BASE to a mirror, or put the file at {target}"
    )


def _receive(
    response: HTTPResponse, saved: BinaryIO, url: str, file: RemoteFile, target: Path, progress: Progress | None
) -> None:
    """Write the body, unpacked. Raises FetchError where it is too large, too slow or another file: more tries are no
    use; _PassingError where the connection broke."""
    began, done = time.monotonic(), 0
    announced = response.headers.get("content-length", "")
    total = int(announced) if announced.isdecimal() and len(announced) < 20 else 0
    for part in _parts(response, url, target):
        saved.write(part)
        done += len(part)
        if done > MAX_DOWNLOAD_BYTES:
            raise FetchError(f"{url}: larger than {MAX_DOWNLOAD_BYTES >> 20} MB; use another mirror")
        seconds = time.monotonic() - began
        if seconds > MAX_DOWNLOAD_SECONDS or (seconds > PATIENCE and done < SLOWEST * seconds):
            raise FetchError(f"{url}: too slow ({done:,} B in {seconds:.0f} s); use another mirror")
        if progress:
            progress(file.safe_name, min(done, total) if total else done, total)
    saved.seek(0)
    if (blob := _blob_of(saved)) != file.blob:
        raise FetchError(
            f"{url}: the downloaded file (size {saved.tell()}, blob {blob[:12]}) differs from the published one (blob "
            f"{file.blob[:12]}); nothing was saved, try again or use another mirror"
        )


def _parts(response: HTTPResponse, url: str, target: Path) -> Iterator[bytes]:
    packed = response.headers.get("content-encoding") == "gzip"
    body = gzip.GzipFile(fileobj=response) if packed else response
    try:
        while part := body.read1(PART):
            yield part
        if response.length:  # it hung up in the middle
            raise ConnectionError("not enough data")
    except (OSError, EOFError, HTTPException, zlib.error) as error:
        raise _lost(url, target, error) from error
