"""What exports say, in English and Chinese."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "rates": "Rates with 95% intervals, clustered by session",
        "rate": "",
        "tasks": "tasks scored",
        "missing": "missing",
        "of": "{scored} of {requested}",
        "losses": "Biggest losses",
        "loss": "{name}: {points} points [{low} – {high}], {tasks} tasks",
        "where": "mostly {places}",
        "place": "{place} ({rate}%, elsewhere {elsewhere}%)",
        "usual": "usually {text}",
        "perfect": "nothing is lost",
        "unscored": "no task is scored in this reading",
        "versions": "How it was run",
        "not_comparable": "These runs differ in what they were run on or how they were asked: compare with care.",
        "reading": "reading",
        "run": "run",
        "skipped": "{count} of {total} conversations are left out: {why}",
        "unalternating": "the format has no place for them (turns that do not alternate, calls whose arguments are no "
        "JSON object)",
        "wrong": "not everything in them is right",
        "clipped": "{count} cells were cut to {limit} characters, the most a sheet can hold; the trajectories have "
        "everything",
        "already": "a run's details are that file already",
    },
    "zh": {
        "rates": "各项比率及 95% 置信区间（按会话聚类）",
        "rate": "",
        "tasks": "已评分任务",
        "missing": "缺失",
        "of": "{scored} / {requested}",
        "losses": "主要失分",
        "loss": "{name}：失 {points} 分 [{low} – {high}]，{tasks} 个任务",
        "where": "集中于{places}",
        "place": "{place}（{rate}%，其余 {elsewhere}%）",
        "usual": "典型表现 {text}",
        "perfect": "没有失分",
        "unscored": "这个口径下没有已评分的任务",
        "versions": "运行条件",
        "not_comparable": "这些结果所用的数据或提问方式不同，请谨慎比较。",
        "reading": "判分口径",
        "run": "运行结果",
        "skipped": "{total} 个对话中有 {count} 个未导出：{why}",
        "unalternating": "该格式无法表示（双方没有交替发言，或调用参数不是 JSON 对象）",
        "wrong": "其中有答错的任务",
        "clipped": "有 {count} 个单元格超过表格上限，已截为 {limit} 个字符；完整内容见 trajectories.jsonl",
        "already": "运行目录中的这个文件就是所要的明细",
    },
}


def say(key: str, language: str, **values: object) -> str:
    """A sentence with its values filled in; whole numbers get thousands separators."""
    filled = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return WORDS[language][key].format(**filled)
