"""Every message and every help text has its Chinese, and the right one is found whatever stands in it."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from typer.main import get_command
from typer.testing import CliRunner

from toolgauge.cli import main
from toolgauge.cli.chinese import FOLDER, in_chinese, messages, names, read
from toolgauge.cli.chinese.catalogue import LONGEST, Catalogue
from toolgauge.cli.chinese.help import help_words
from toolgauge.cli.chinese.wrapping import breaks

CHINESE = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|pip install \S+|npx \w+ --outfile \S+ FILE|toolgauge( \w+)+")
ENGLISH = re.compile(r"(?<![-\w/])[a-z]{2,} [a-z]{2,}(?![-\w])")
"""Two words of a sentence; what is code stands in CODE."""
WORD = re.compile(r"(?<![-\w/])[a-z]{2,}")


def walk(command: Any, name: str = "toolgauge") -> list[tuple[str, str]]:
    """The help texts of a command and everything below it, each with its place."""
    found = [(command.help, name), *((one.help, f"{name} {one.opts[0]}") for one in command.params)]
    return found + [
        each for key, one in getattr(command, "commands", {}).items() for each in walk(one, f"{name} {key}")
    ]


def test_every_help_text_has_its_chinese() -> None:
    texts = help_words()["texts"]
    lacking = [f"{place}: {text}" for text, place in walk(get_command(main.app)) if text and text not in texts]
    assert lacking == []
    used = {text for text, _ in walk(get_command(main.app))} | {"Show this message and exit."}
    assert texts.keys() - used == set()


def test_catalogues_are_well_formed() -> None:
    seen: dict[str, str] = {}
    for path in [FOLDER / "names.json", *FOLDER.glob("messages/*.json")]:
        pairs = json.loads(path.read_text(), object_pairs_hook=list)
        for english, chinese in pairs:
            assert english not in seen, f"{english} stands in {seen[english]} and {path.name}"
            seen[english] = path.name
            gaps = re.findall(r"\{[#*]?\}", english)
            slots = sorted(int(slot) for slot in re.findall(r"\{(\d)\}", chinese))
            expected = [*range(len(gaps))]
            assert slots == expected or english.startswith("Cannot connect to host"), f"{path.name}: {english}"
            assert "{}{" not in english, "two gaps side by side cannot be told apart"


CATALOGUE = Catalogue(
    {
        "{*}: {} is wrong": "{0}：{1} 有误",
        "file {} is wrong": "文件 {0} 有误",
        "file {} is wrong: {*}": "文件 {0} 有误：{1}",
        "{} of {#} ({#} s)": "{1} 之 {0}（{2} 秒）",
        "the disk is full": "磁盘已满",
        "stopped: {*}": "已停止：{0}",
    }
)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("the disk is full", "磁盘已满"),
        ("file a is wrong", "文件 a 有误"),
        ("file a is wrong: the disk is full", "文件 a 有误：磁盘已满"),
        ("file a is wrong: nobody knows why", "文件 a 有误：nobody knows why"),
        ("stopped: stopped: the disk is full", "已停止：已停止：磁盘已满"),
        ("x.jsonl:3: a.b: the disk is full", "x.jsonl:3: a.b: 磁盘已满"),
        ("step (1 s) of 3 (4 s)", "3 之 step (1 s)（4 秒）"),
        ("file {0} {1} {*} \\1 \\g<0> is wrong", "文件 {0} {1} {*} \\1 \\g<0> 有误"),
        ("file a is wrong is wrong", "文件 a is wrong 有误"),
        ("file a\nb is wrong", "文件 a\nb 有误"),
        ("file  is right", "file  is right"),
        ("", ""),
        (": : ", ": : "),
    ],
)
def test_the_most_specific_entry_wins_and_gaps_are_kept(english: str, chinese: str) -> None:
    assert CATALOGUE.translated(english) == chinese


@pytest.mark.parametrize("piece", ["stopped: ", "file a is wrong: ", "1 of 3 (4 s) ", " is wrong", "1.", "(", ": "])
def test_no_text_keeps_the_matcher_busy(piece: str) -> None:
    """The work on repetitions is bounded, else the suite's time limit ends it; too long a text is left alone."""
    for catalogue in (CATALOGUE, messages()):
        assert catalogue.translated(piece * (LONGEST // len(piece)))
        assert catalogue.translated(piece * LONGEST) == piece * LONGEST


def test_names_are_no_part_of_messages() -> None:
    assert in_chinese("chat") == names().whole("chat") == "闲聊"
    assert in_chinese("chat: cannot be read: chat") == "chat: 无法读取：chat"


def test_nested_messages_and_places() -> None:
    said = (
        "10 conversations in a row failed, the last because: openai/m at http://h/v1: HTTP 404: no x "
        "(check the model's name and the base URL)"
    )
    assert in_chinese(said) == (
        "连续 10 个对话未能完成，最后一个的原因：openai/m（http://h/v1）：HTTP 404：no x（请检查模型名和 base URL）"
    )
    assert in_chinese("the upload of a batch: no answer within 60 s") == "上传批次：60 秒内没有应答"
    assert in_chinese("task: cannot be read: Is a directory") == "task: 无法读取：是一个目录"  # a file of that name
    assert in_chinese("f.jsonl:3: tools[0]: must be a text, not a list") == "f.jsonl:3: tools[0]: 应为文本，而不是列表"


MISTAKES = {
    "run mini -m oracle": ("'oracle'", "服务商/模型", "builtin/oracle"),
    "run mini -m builtin/oracle --history gone": ("--history", "'gone'", "'gold', 'own'", "的值无效"),
    "score nowhere": ("nowhere/run.json", "没有那个文件或目录", "运行目录"),
    "data check bad.jsonl --language fr": ("--language 'fr'", "en 或 zh"),
    "tools show library no_such_list": ("library", "'no_such_list'", "`toolgauge tools list library`"),
    "generate --demo --paths single,nonsense": ("--paths", "'nonsense'", "不是任务类型"),
    "run mini": ("缺少选项", "'--model'", "用法：toolgauge run"),
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
    assert read("help.json")["usage"] in pages[0]
    assert "Usage: toolgauge tools import mcp" in pages[1]
