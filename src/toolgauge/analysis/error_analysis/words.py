"""Words around losses in English and Chinese."""

from __future__ import annotations

from toolgauge.analysis.titles import title

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "heading": "{model} · {benchmark} · {data} · reading “{reading}”",
        "opening": "{accuracy}% of {scored} tasks right. {points} points are lost, in {kinds} kinds of mistakes.",
        "opening_one": "{accuracy}% of {scored} tasks right. {points} points are lost, all by one kind of mistake.",
        "opening_weighted": "(Every entry weighs the same here; ACEBench's overall value weighs groups.)",
        "perfect": "All {scored} tasks are right: nothing is lost.",
        "nothing": "No task is scored in this reading.",
        "missing": "{missing} tasks have no score and stand in no number here.",
        "unlocated": "The data set is not at hand (name it with --data): no places and no examples.",
        "loss": "{points} points [{low} – {high}], {tasks} of {at_risk} tasks",
        "loss_possible": "{points} points [{low} – {high}], {tasks} of the {at_risk} tasks in which it is possible",
        "concentrates": "where",
        "place": "{place}: {rate}% of {of}, elsewhere {elsewhere}% of {rest} (p {p})",
        "nowhere": "no place stands out",
        "usual": "usually",
        "pattern": "{text} ({tasks} of {of})",
        "wanted": "wanted",
        "expected": "expected",
        "done": "did",
        "lead_clear": "Loss 1 is {points} points bigger than loss 2 [{low} – {high}]: the order is reliable.",
        "lead_open": "Loss 1 is {points} points bigger than loss 2 [{low} – {high}]: the order could be the other way "
        "round; it held in {ahead}% of draws.",
        "lead_equal": "Losses 1 and 2 are equally big.",
        "lead_unknown": "Fewer than ten sessions: which of the losses is the biggest cannot be said.",
        "others": "Further losses: {losses}.",
        "near": "Near misses: {sessions} of {of} sessions are one task short, {points} points of session accuracy. "
        "In the way: {blocked}.",
        "near_none": "Near misses: none of {of} sessions is one task short.",
        "judged": "Places: Fisher's exact test on counts reduced for sessions, times the number of places tested; "
        "named up to p 0.05. Intervals: 95%, by session.",
        "open": "Open: {command}, then {page}",
        "matrix": "Points lost by",
        "all": "all together",
        "kind": "{}",
        "position": "task {}",
        "reference": "{}",
        "shape": "{} calls",
        "tool": "tool {}",
        "parameter": "parameter {}",
        "group": "{}",
        "category": "category {}",
        "<ask>": "a question to the user",
        "<answer>": "a reply in words",
        "<nothing>": "nothing",
        "<no id>": "(without an id)",
        "then": " → ",
    },
    "zh": {
        "heading": "{model} · {benchmark} · {data} · 判分口径“{reading}”",
        "opening": "{scored} 个任务答对 {accuracy}%，共失 {points} 分，分属 {kinds} 类错误。",
        "opening_one": "{scored} 个任务答对 {accuracy}%，共失 {points} 分，都是同一类错误。",
        "opening_weighted": "（这里每个条目权重相同；ACEBench 的总分按分组加权。）",
        "perfect": "{scored} 个任务全部答对，没有失分。",
        "nothing": "这个口径下没有已评分的任务。",
        "missing": "有 {missing} 个任务没有评分，不计入这里的任何数字。",
        "unlocated": "找不到数据集（可用 --data 指定）：无法给出集中位置和示例。",
        "loss": "失 {points} 分 [{low} – {high}]，{at_risk} 个任务中占 {tasks} 个",
        "loss_possible": "失 {points} 分 [{low} – {high}]，可能出现这类错误的 {at_risk} 个任务中占 {tasks} 个",
        "concentrates": "集中于",
        "place": "{place}：{of} 个任务中 {rate}%，其余 {rest} 个中 {elsewhere}%（p {p}）",
        "nowhere": "没有明显集中的位置",
        "usual": "典型表现",
        "pattern": "{text}（{of} 例中 {tasks} 例）",
        "wanted": "用户",
        "expected": "应做",
        "done": "实做",
        "lead_clear": "第 1 项比第 2 项多失 {points} 分 [{low} – {high}]：先后可靠。",
        "lead_open": "第 1 项比第 2 项多失 {points} 分 [{low} – {high}]：先后并不确定，"
        "重抽样中有 {ahead}% 的次数仍是第 1 项更大。",
        "lead_equal": "第 1 项与第 2 项失分相同。",
        "lead_unknown": "不足 10 个会话，无法判断哪一项失分最多。",
        "others": "其余失分：{losses}。",
        "near": "差一点全对：{of} 个会话中有 {sessions} 个只错一个任务，合会话准确率 {points} 分。卡在：{blocked}。",
        "near_none": "差一点全对：{of} 个会话中没有只错一个任务的。",
        "judged": "集中位置的判定：计数按会话折算后作 Fisher 精确检验，p 值乘以检验过的位置数，不超过 0.05 才列出。"
        "区间为按会话聚类的 95% 置信区间。",
        "open": "查看：{command}，然后打开 {page}",
        "matrix": "失分",
        "all": "合计",
        "kind": "{}",
        "position": "第 {} 个任务",
        "reference": "{}",
        "shape": "{}调用",
        "tool": "工具 {}",
        "parameter": "参数 {}",
        "group": "{}",
        "category": "类别 {}",
        "<ask>": "向用户提问",
        "<answer>": "文字回复",
        "<nothing>": "无输出",
        "<no id>": "（缺少 id）",
        "then": " → ",
    },
}


def say(key: str, language: str, **values: object) -> str:
    """A sentence with its values filled in."""
    return WORDS[language][key].format(**values)


def mistake_title(mistake: str, language: str) -> str:
    return title(mistake, language)


def place_title(dimension: str, name: str, language: str) -> str:
    """A place in words: "task 3", "parallel calls", "tool search_hotels"."""
    plain = dimension in ("tool", "parameter", "position")
    words = name if plain else title(name, language).removeprefix("· ")
    return WORDS[language].get(dimension, "{}").format(words)
