"""What the command line says around a run, in the language of the person at the terminal."""

from __future__ import annotations

import os

WORDS = {
    "en": {
        "asking": "{total} conversations of {benchmark} ({language}) for {model}, {done} already done",
        "progress": "{benchmark} {language}",
        "failed": "failed",
        "tokens": "tokens",
        "files": "Files: {folder}",
        "file_list": "  trajectories.jsonl (what was said), scores.jsonl, metrics.json (the tables), details.csv",
        "more_files": ", summary.xlsx",
        "spent": "{tokens} tokens{cost}, {seconds:.1f} s",
        "cost": ", ${dollars:.2f}",
        "missing": "{failed} conversations are not done ({folder}/failures.jsonl says why); they are not scored. "
        "The same command tries them again.",
        "stopped": "Stopped early: {why}. The same command goes on where it was.",
        "interrupting": "Interrupted: what is under way has {seconds} seconds to come back; Ctrl-C again ends at once.",
        "agreement": "Names of calls: judged as recorded in the result file in {same} of {compared} tasks",
        "batch": "Batch {batch}: {status}, {done} of {total} answered",
        "warning": "Warning: {what}",
        "data_list": "name|what it is|files|here?",
        "mini": "our own small benchmark, English and Chinese",
        "embedded": "part of the package",
        "cached": "in the cache",
        "absent": "to be fetched",
        "no_problems": "{path}: no problems",
        "one_problem": "{count} problem",
        "problems": "{count} problems",
        "more_problems": "{count} or more problems",
        "known": "known: {what}",
        "findings": "errors: {errors}, hints: {hints}",
        "more_findings": "errors: {errors}, hints: {hints}, or more",
        "not_shown": "not shown: {count} more",
        "tool_lists": "list|name|tools|their names",
        "tool_totals": "lists: {lists}, tools: {tools}",
        "note": "Note: {what}",
        "imported": "{file} (lists: {lists}, tools: {tools})",
        "models": "model|what it is|key",
        "groups": "Hosted by their makers|Hosted for many makers|Servers of your own|Built-in and installed",
        "one_provider": "toolgauge models PROVIDER says how one of them differs.",
        "sites": "{names} at its other addresses",
        "left_out": "{model} does not take {options}: not sent (run.json says so, too)",
        "player": "plays by itself, no network",
        "any_server": "Any OpenAI-compatible server: -m openai/<model> --base-url URL",
        "key_set": "{name} (set)",
        "key_unset": "{name} (not set)",
        "key_needless": "none needed",
        "site": "Site of {runs} runs, {pages} pages, {megabytes} MB: {folder}/index.html",
        "serving": "{address} (Ctrl-C ends)",
        "generating": "{total} dialogues to make ({language}), {done} already there",
        "generation": "dialogues",
        "accepted": "{count} accepted",
        "rejected": "{count} given up",
        "retried": "begun again for {what}",
        "comma": ", ",
        "produced": "{produced} of {requested} dialogues accepted, {rejected} given up, {missing} not there yet",
        "reasons": "{count} attempts rejected: {what}",
        "generated_files": "  sessions.jsonl (to run and review), raw.jsonl, simplified.jsonl, captures.jsonl, "
        "openai.jsonl,\n  sharegpt.jsonl, dialogues.md (to read), rejected.jsonl, coverage.json",
        "unfinished": "{failed} dialogues are not done ({folder}/failures.jsonl says why). "
        "The same command tries them again.",
    },
    "zh": {
        "asking": "{model}：{benchmark}（{language}）共 {total} 个对话，已完成 {done} 个",
        "progress": "{benchmark} {language}",
        "failed": "失败",
        "tokens": "token",
        "files": "结果目录：{folder}",
        "file_list": "  trajectories.jsonl（对话）、scores.jsonl（判分）、metrics.json（指标）、details.csv（明细）",
        "more_files": "、summary.xlsx（汇总）",
        "spent": "共 {tokens} 个 token{cost}，用时 {seconds:.1f} 秒",
        "cost": "，约 ${dollars:.2f}",
        "missing": "有 {failed} 个对话未能完成（原因见 {folder}/failures.jsonl），不计分；再次执行同一命令会重试。",
        "stopped": "提前停止：{why}。再次执行同一命令会接着运行。",
        "interrupting": "已中断：正在进行的请求最多再等 {seconds} 秒；再按一次 Ctrl-C 立即结束。",
        "agreement": "调用名称：{compared} 个任务中有 {same} 个与结果文件中记录的标签一致",
        "batch": "批次 {batch}：{status}，已完成 {done} / {total}",
        "warning": "警告：{what}",
        "data_list": "名称|说明|文件数|本地状态",
        "mini": "自带的小型基准，中英双语",
        "embedded": "随软件包提供",
        "cached": "已缓存",
        "absent": "待下载",
        "no_problems": "{path}：没有问题",
        "one_problem": "{count} 个问题",
        "problems": "{count} 个问题",
        "more_problems": "至少 {count} 个问题",
        "known": "已知问题：{what}",
        "findings": "{errors} 处错误，{hints} 条建议",
        "more_findings": "至少 {errors} 处错误、{hints} 条建议",
        "not_shown": "另有 {count} 条未显示",
        "tool_lists": "编号|名称|工具数|工具",
        "tool_totals": "共 {lists} 组、{tools} 个工具",
        "note": "提示：{what}",
        "imported": "共 {lists} 组、{tools} 个工具：{file}",
        "models": "模型|说明|密钥",
        "groups": "厂商官方服务|聚合平台|本地服务|内置与已安装",
        "one_provider": "命令后加上名称，可查看某一家的具体差异",
        "sites": "其他站点：{names}",
        "left_out": "{model} 不支持 {options}，未发送（run.json 中也有记录）",
        "player": "自动应答，不需要联网",
        "any_server": "任何兼容 OpenAI 的服务：-m openai/<模型> --base-url URL",
        "key_set": "{name}（已设置）",
        "key_unset": "{name}（未设置）",
        "key_needless": "无需密钥",
        "site": "已为 {runs} 个运行结果生成网站，共 {pages} 页，{megabytes} MB：{folder}/zh/index.html",
        "serving": "{address} （按 Ctrl-C 结束）",
        "generating": "共需生成 {total} 个对话（{language}），已有 {done} 个",
        "generation": "对话",
        "accepted": "通过 {count}",
        "rejected": "放弃 {count}",
        "retried": "重做原因：{what}",
        "comma": "，",
        "produced": "{requested} 个对话中：通过 {produced} 个，放弃 {rejected} 个，尚缺 {missing} 个",
        "reasons": "共有 {count} 次尝试被拒：{what}",
        "generated_files": "  sessions.jsonl（可评测、可审阅的会话）、raw.jsonl、simplified.jsonl、captures.jsonl、"
        "openai.jsonl、\n  sharegpt.jsonl、dialogues.md（便于阅读）、rejected.jsonl（被拒）、coverage.json（覆盖情况）",
        "unfinished": "有 {failed} 个对话未能完成（原因见 {folder}/failures.jsonl）；再次执行同一命令会重试。",
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
