"""What the command line says around a run, in the language of the person at the terminal."""

from __future__ import annotations

import os

WORDS = {
    "en": {
        "asking": "{tasks} tasks of {benchmark} ({language}) for {model}, {done} already done",
        "progress": "{benchmark} {language}",
        "failed": "failed",
        "tokens": "tokens",
        "files": "Files: {folder}",
        "file_list": "  trajectories.jsonl (what was said), scores.jsonl, metrics.json (the tables), details.csv",
        "spent": "{tokens} tokens{cost}, {seconds:.1f} s",
        "missing": "{failed} conversations could not be had ({folder}/failures.jsonl says why); they are not scored. "
        "The same command tries them again.",
        "stopped": "Stopped early: {why}. The same command goes on where it was.",
        "warning": "Warning: {what}",
        "reading": "Reading: {reading}{headline}",
        "headline": " (the one of the published numbers)",
    },
    "zh": {
        "asking": "{model}：{benchmark}（{language}）共 {tasks} 个任务，已完成 {done} 个",
        "progress": "{benchmark} {language}",
        "failed": "失败",
        "tokens": "词元",
        "files": "文件目录：{folder}",
        "file_list": "  trajectories.jsonl（对话）、scores.jsonl（判分）、metrics.json（各表）、details.csv（明细）",
        "spent": "{tokens} 个词元{cost}，用时 {seconds:.1f} 秒",
        "missing": "有 {failed} 个对话没能完成（原因见 {folder}/failures.jsonl），不计入得分；再次运行同一命令会重试。",
        "stopped": "提前停止：{why}。再次运行同一命令会接着做。",
        "warning": "警告：{what}",
        "reading": "判分口径：{reading}{headline}",
        "headline": "（与公开数字相同的口径）",
    },
}


def interface_language() -> str:
    """ "zh" where TOOLGAUGE_LANG, or else the terminal's locale, says Chinese; "en" otherwise."""
    for variable in ("TOOLGAUGE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def say(key: str, **values: object) -> str:
    """A sentence in the interface's language with its values filled in."""
    filled = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return WORDS[interface_language()][key].format(**filled)
