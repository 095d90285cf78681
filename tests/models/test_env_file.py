"""`.env`: where it is looked for, what counts in it, what goes together, and what a hostile one cannot do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.rows import rows
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions
from toolgauge.models.provider import PROVIDERS
from toolgauge.models.providers import PLACEHOLDER_KEY, Endpoint, find_endpoint
from toolgauge.models.settings import Settings, known_names, read_env_file, settings

URL, OTHER = "http://file/v1", "http://shell/v1"
FILE_URL = {"OPENAI_BASE_URL": URL}
FILE_KEY = {"OPENAI_API_KEY": "key-of-file"}
SHELL_URL = {"OPENAI_BASE_URL": OTHER}
SHELL_KEY = {"OPENAI_API_KEY": "key-of-shell"}


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in known_names():
        monkeypatch.delenv(name, raising=False)


def found(shell: dict[str, str], file: dict[str, str], **options: Any) -> Endpoint:
    return find_endpoint(PROVIDERS["openai"], ModelOptions(**options), Settings(shell, file))


@rows(
    ("shell", "file", "options", "reached"),
    [
        ({}, FILE_KEY, {}, ("https://api.openai.com/v1", "key-of-file")),
        (SHELL_KEY, FILE_KEY, {}, ("https://api.openai.com/v1", "key-of-shell")),
        (SHELL_KEY, FILE_KEY | FILE_URL, {}, (URL, "key-of-file")),
        (SHELL_KEY | SHELL_URL, FILE_KEY | FILE_URL, {}, (OTHER, "key-of-shell")),
        ({}, FILE_URL, {}, (URL, PLACEHOLDER_KEY)),
        (SHELL_KEY, FILE_URL, {"base_url": "http://option/v1"}, ("http://option/v1", "key-of-shell")),
        ({}, FILE_URL, {"base_url": "http://option/v1", "api_key": "k-option"}, ("http://option/v1", "k-option")),
    ],
)
def test_what_goes_together(
    shell: dict[str, str], file: dict[str, str], options: dict[str, str], reached: tuple[str, str]
) -> None:
    endpoint = found(shell, file, **options)
    assert (endpoint.base_url, endpoint.api_key) == reached


@rows(
    ("shell", "file", "options", "name"),
    [
        (SHELL_KEY, FILE_URL, {}, "OPENAI_API_KEY"),
        ({}, FILE_URL, {"api_key": "key-of-option"}, "endpoint.api_key"),
        ({}, FILE_URL | FILE_KEY, {"api_key": "key-of-option"}, "endpoint.api_key"),
    ],
)
def test_an_address_of_the_file_gets_no_key_from_elsewhere(
    shell: dict[str, str], file: dict[str, str], options: dict[str, str], name: str
) -> None:
    with pytest.raises(UsageError) as caught:
        found(shell, file, **options)
    said = str(caught.value)
    assert all(word in said for word in ("OPENAI_BASE_URL in .env", name, "--base-url"))
    assert "\n" not in said
    assert "key-of" not in said


def test_only_in_this_folder_only_known_names_and_nothing_is_expanded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "do-not-show")
    lines = ["PATH=/evil", "HTTPS_PROXY=http://evil", "TOOLGAUGE_CACHE=/evil", "export GROQ_API_KEY='g'  # mine"]
    Path(".env").write_text("\n".join([*lines, "OPENAI_BASE_URL=http://evil/${SECRET_OF_MINE}/v1"]))
    known = settings()
    assert known.file.keys() == {"GROQ_API_KEY", "OPENAI_BASE_URL"}
    assert known.file["GROQ_API_KEY"] == "g"
    with pytest.raises(UsageError, match=r"\.env: OPENAI_BASE_URL: variables are not expanded") as caught:
        find_endpoint(PROVIDERS["openai"], ModelOptions(), known)
    assert "do-not-show" not in str(caught.value)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert settings().file == {}


def test_the_shell_wins() -> None:
    Path(".env").write_text("OPENAI_API_KEY=of-file\nGEMINI_API_KEY=of-file\n")
    known = Settings({"OPENAI_API_KEY": "of-shell", "GOOGLE_API_KEY": "of-shell"}, read_env_file(Path(".env")))
    for name in ("openai", "gemini"):
        assert find_endpoint(PROVIDERS[name], ModelOptions(), known).api_key == "of-shell"
    assert "of-shell" not in repr(known) + repr(known.find(("OPENAI_API_KEY",)))


@rows(
    ("content", "words"),
    [
        (b"OPENAI_API_KEY=\xff\xfe\n", "not UTF-8"),
        (b"A=1\n" * 100_000, "larger than"),
        (b"A=1\nOPENAI_API_KEY 'sk-do-not-show\n", ".env:2: invalid line"),
    ],
)
def test_content_of_no_use_is_one_line(content: bytes, words: str) -> None:
    Path(".env").write_bytes(content)
    with pytest.raises(UsageError, match=words) as caught:
        settings()
    assert str(caught.value).split(":")[0] in (".env", "cannot read .env")
    assert "do-not-show" not in str(caught.value)


def test_what_is_no_file_is_not_opened() -> None:
    os.mkfifo(".env")
    with pytest.raises(UsageError, match="is a pipe"):
        settings()
    Path(".env").unlink()
    Path("target").write_text("OPENAI_API_KEY=k\n")
    for target in ("target", "/dev/zero", "nowhere", ".env"):
        Path(".env").symlink_to(target)
        with pytest.raises(UsageError, match="is a symbolic link"):
            settings()
        Path(".env").unlink()
    Path(".env").mkdir()  # a virtual environment of that name
    assert settings().file == {}
