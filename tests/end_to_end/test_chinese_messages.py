"""Help and complaints about usage in Chinese."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from toolgauge.cli import main
from toolgauge.cli.wrapping import breaks

CHINESE = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|pip install \S+|npx \w+ --outfile \S+ FILE|toolgauge( \w+)+")
ENGLISH = re.compile(r"(?<![-\w/])[a-z]{2,} [a-z]{2,}(?![-\w])")
"""Two words of a sentence; what is code stands in CODE."""

MISTAKES = {
    "run mini -m oracle": ("'oracle'", "服务商/模型", "builtin/oracle"),
    "run mini -m builtin/oracle --history gone": ("--history", "'gone'", "'gold', 'own'", "的值无效"),
    "score nowhere": ("nowhere/run.json", "没有那个文件或目录", "运行目录"),
    "data check bad.jsonl --language fr": ("--language 'fr'", "en 或 zh"),
    "tools show library no_such_list": ("library", "'no_such_list'", "`toolgauge tools list library`"),
    "generate --demo --paths single,nonsense": ("--paths", "'nonsense'", "不是任务类型"),
    "run mini": ("--model", "--agent", "请用"),
    "run": ("缺少参数", "benchmark", "用法：toolgauge run"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_explained_in_chinese(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files, options and values stay as they are, and the exit code says what it says in English."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(sys, "argv", ["toolgauge", *mistake.split()])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", "")  # started as a program, not as a module
    said = {}
    for language in ("zh", "en"):
        monkeypatch.setenv("TOOLGAUGE_LANG", language)
        with pytest.raises(SystemExit) as end:
            main.main()
        assert end.value.code == 2
        said[language] = capsys.readouterr().err
    assert not CHINESE.search(said["en"])
    for part in MISTAKES[mistake]:
        assert part in said["zh"]
    assert not ENGLISH.search(CODE.sub("", said["zh"]))


def test_lines_of_chinese_break_between_characters_and_beside_no_wrong_mark() -> None:
    text = "模型书写调用的格式（方言），或 auto。地址例如 http://localhost:8000/v1 。"
    for width in (4, 9, 16, 40, 200):
        places = [0, *breaks(text, width), len(text)]
        lines = [text[start:end].rstrip() for start, end in pairwise(places)]
        assert "".join(text[start:end] for start, end in pairwise(places)) == text
        assert all(cell_len(line) <= width for line in lines)
        if width > 4:
            assert not any(line[0] in "，。）" or line[-1] == "（" for line in lines)
    assert breaks("模型 auto", 6) == [3]


def test_help_is_chinese_and_the_next_one_english_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    for command in ("", "run", "tools import mcp"):
        pages = [
            CliRunner(env={"TOOLGAUGE_LANG": one}).invoke(main.app, [*command.split(), "--help"]).output
            for one in ("zh", "en")
        ]
        assert CHINESE.search(pages[0])
        assert not ENGLISH.search(CODE.sub("", pages[0]))
        assert "…" not in pages[0]
        assert not CHINESE.search(pages[1])
    assert "用法：" in pages[0]
    assert "Usage: toolgauge tools import mcp" in pages[1]
