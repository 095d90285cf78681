"""What a comparison says to people, in English and Chinese. The site's page has the same notes."""

from __future__ import annotations

from toolgauge.analysis.compare.pairing import Note
from toolgauge.analysis.titles import title
from toolgauge.judge.verdict import CORRECT

ENGLISH: dict[str, str] = {
    "headline": "{benchmark} · {language} · {tasks} tasks in pairs · reading “{reading}”",
    "direction": "Differences are {b} minus {a}, in percentage points.",
    "outcomes": "Right or wrong",
    "tasks": "tasks",
    "sessions": "whole sessions",
    "fixed": "fixed",
    "broken": "broken",
    "both": "both",
    "neither": "neither",
    "mcnemar": "McNemar p",
    "odds_ratio": "odds ratio",
    "difference": "difference",
    "interval": "95% interval",
    "p_holm": "p (Holm)",
    "few": "* few tasks: fewer than 10, or from fewer than 10 sessions",
    "significant": "bold: p below 0.05 after Holm's correction within the table",
    "moves": "How mistakes moved",
    "before": "in {a}",
    "after": "in {b}",
    "count": "tasks",
    "correct": "correct",
    "fixed_tasks": "Fixed tasks",
    "broken_tasks": "Broken tasks",
    "mistake_before": "mistake in {a}",
    "mistake_after": "mistake in {b}",
    "more": "… and {count} more (--json FILE has all)",
    "none": "none",
    "note": "Note: {what}",
    "note_epochs": "{a} epochs and {b}; epochs that both have make pairs",
    "note_history": "different history: {a} and {b}",
    "note_style": "different styles of asking: {a} and {b}",
    "note_max_turns": "different limits of turns: {a} and {b}",
    "note_sampling": "different sampling: {a} and {b}",
    "note_user_model": "users simulated by different models: {a} and {b}",
    "note_toolgauge": "run with different versions of toolgauge: {a} and {b}",
    "note_metrics": "scored with different versions of the tables: {a} and {b}",
    "note_readings": "readings that only one has are left out: {a} and {b}",
    "note_part": "only part of the tasks is in both; left out: {a} of the first run, {b} of the second",
    "unset": "none",
    "written": "Written: {file}",
}

CHINESE: dict[str, str] = {
    "headline": "{benchmark} · {language} · 共 {tasks} 个任务成对比较 · 判分口径“{reading}”",
    "direction": "差值为 {b} 减 {a}，单位：百分点。",
    "outcomes": "对错变化",
    "tasks": "任务",
    "sessions": "整个会话",
    "fixed": "改对",
    "broken": "改错",
    "both": "都对",
    "neither": "都错",
    "mcnemar": "McNemar p 值",
    "odds_ratio": "优势比",
    "difference": "差值",
    "interval": "95% 置信区间",
    "p_holm": "p 值（Holm）",
    "few": "* 样本较少：任务不足 10 个，或涉及的会话不足 10 个",
    "significant": "粗体：表内经 Holm 校正后 p < 0.05",
    "moves": "错误类型的变化",
    "before": "{a} 中",
    "after": "{b} 中",
    "count": "任务数",
    "correct": "正确",
    "fixed_tasks": "改对的任务",
    "broken_tasks": "改错的任务",
    "mistake_before": "{a} 的错误",
    "mistake_after": "{b} 的错误",
    "more": "……另有 {count} 个（--json FILE 含全部）",
    "none": "无",
    "note": "注意：{what}",
    "note_epochs": "轮数不同：{a} 与 {b}；只比较双方都有的轮次",
    "note_history": "对话历史的来源不同：{a} 与 {b}",
    "note_style": "提问方式不同：{a} 与 {b}",
    "note_max_turns": "轮次上限不同：{a} 与 {b}",
    "note_sampling": "采样参数不同：{a} 与 {b}",
    "note_user_model": "模拟用户的模型不同：{a} 与 {b}",
    "note_toolgauge": "运行时的 toolgauge 版本不同：{a} 与 {b}",
    "note_metrics": "评分时的指标版本不同：{a} 与 {b}",
    "note_readings": "仅一方具有的判分口径不参与比较：{a} 与 {b}",
    "note_part": "双方只有部分任务相同；未参与比较：前者 {a} 个，后者 {b} 个",
    "unset": "无",
    "written": "已写入：{file}",
}

WORDS = {"en": ENGLISH, "zh": CHINESE}


def word(key: str, language: str, /, **values: object) -> str:
    """A word or sentence with its values filled in; whole numbers get thousands separators."""
    filled = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return WORDS.get(language, ENGLISH)[key].format(**filled)


def note_in_words(note: Note, language: str) -> str:
    """A note of `notes_on` as a sentence."""
    unset = word("unset", language)
    values = {side: unset if value is None else value for side, value in (("a", note.a), ("b", note.b))}
    return word(f"note_{note.code}", language, **values)


def mistake_in_words(mistake: str, language: str) -> str:
    """A class of mistakes, or "correct"."""
    return word("correct", language) if mistake == CORRECT else title(mistake, language)


def printable(text: str, longest: int = 60) -> str:
    """A name that somebody else chose, on one line: no control or direction marks, cut where it is long."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
