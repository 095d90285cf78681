"""What `toolgauge serve` says, in both languages."""

from __future__ import annotations

from toolgauge.cli.words import interface_language

SERVE_WORDS = {
    "en": {
        "starting": "Starting {engine}: {command}",
        "still": "{seconds:.0f} s: {line}",
        "nothing_yet": "nothing said yet",
        "ready": "{engine} answers at {base_url} (after {seconds:.0f} s). Ctrl-C ends it. In another terminal:",
        "stopping": "Stopping {engine} (Ctrl-C again kills it) ...",
        "stopped": "{engine} has stopped.",
        "note": "Note: {what}",
        "no_parser": "{engine} has no parser for this family: calls come as text, and `run` reads them with the dialect"
        " {dialect}.",
        "unknown_family": "the name {model} does not tell how the model writes calls: say which --parser the engine is"
        " to use, or give `run` the right --dialect (generic asks for calls in a way of its own).",
        "unknown_to_both": "the name {model} does not tell how the model writes calls: give `run` the right --dialect"
        " (generic asks for calls in a way of its own).",
        "template": "{engine} recommends a chat template out of its examples for this family: {file}. Fetch it and give"
        " it as --template; without it the model's own is used.",
        "open": "{host} is open to other machines, and the engine asks nobody for a key.",
    },
    "zh": {
        "starting": "正在启动 {engine}：{command}",
        "still": "{seconds:.0f} 秒：{line}",
        "nothing_yet": "尚无输出",
        "ready": "{engine} 已就绪：{base_url}（用时 {seconds:.0f} 秒）。按 Ctrl-C 停止。请在另一个终端执行：",
        "stopping": "正在停止 {engine}（再按一次 Ctrl-C 强制结束）……",
        "stopped": "{engine} 已停止。",
        "note": "提示：{what}",
        "no_parser": "{engine} 没有适用于该系列模型的解析器：调用会以文本返回，由 run 按方言 {dialect} 解析。",
        "unknown_family": "从名称 {model} 看不出模型以何种格式书写调用：请用 --parser 指定引擎的解析器，"
        "或为 run 指定合适的 --dialect（generic 使用自带的提示词格式）。",
        "unknown_to_both": "从名称 {model} 看不出模型以何种格式书写调用：请为 run 指定合适的 --dialect"
        "（generic 使用自带的提示词格式）。",
        "template": "{engine} 的文档建议该系列模型使用其示例中的对话模板 {file}：请下载后用 --template 指定；"
        "未指定时使用模型自带的模板。",
        "open": "{host} 可被其他机器访问，而引擎不校验密钥。",
    },
}


def say_serving(key: str, **values: object) -> str:
    """A sentence in the interface's language with its values filled in."""
    return SERVE_WORDS[interface_language()][key].format(**values)
