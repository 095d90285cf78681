"""What is different at a provider, in sentences: the quirks of the table, in the interface's language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgauge.models.provider import Provider, Quirks

LABELS = {
    "en": {
        "name": "name",
        "title": "what it is",
        "address": "address",
        "variables": "environment",
        "api": "API",
        "chat": "chat completions",
        "azure": "chat completions of Azure's deployments",
        "messages": "Anthropic Messages",
        "responses": "OpenAI Responses",
        "different": "what is different",
        "nothing": "nothing",
    },
    "zh": {
        "name": "名称",
        "title": "说明",
        "address": "地址",
        "variables": "环境变量",
        "api": "接口",
        "chat": "对话补全（chat completions）",
        "azure": "Azure 部署的对话补全",
        "messages": "Anthropic Messages 接口",
        "responses": "OpenAI Responses 接口",
        "different": "差异",
        "nothing": "无",
    },
}

SENTENCES = {
    "en": {
        "length_field": "the limit of a reply is sent as {0}",
        "dropped": "not sent, for it is not taken there: {0}",
        "renamed": "sent under another name: {0}",
        "with_tools": "sent with tools unless you say otherwise: {0}",
        "call_content": "a message with calls and no words has an empty text",
        "tool_name": "results say the name of their tool",
        "alternates": "neighbouring messages of the user become one",
        "user_after_tool": "where the user speaks right after a result, the assistant says “…” in between",
        "ids": "ids of calls become nine letters and digits",
        "schema": "parameters of tools are told in OpenAPI's vocabulary; what it lacks is said in words or left out",
        "kept": "reasoning of messages with calls is sent back",
        "required": "reasoning of messages with calls is sent back, an empty one where there is none",
        "reasoning_field": "the field in which reasoning is sent back: {0}",
        "signed": "signatures of reasoning go back with the calls; calls that others made get a stand-in",
        "details": "reasoning_details go back as they came",
        "filtered": "a prompt that the content filter refuses ({0}) is an outcome, not a failure",
        "unpaid": "an account without money ({0}) is not asked again",
    },
    "zh": {
        "length_field": "回复长度上限的字段名为 {0}",
        "dropped": "不支持、因而不发送：{0}",
        "renamed": "换用其他字段名：{0}",
        "with_tools": "带工具时默认发送：{0}",
        "call_content": "只有调用、没有文字的消息，内容为空字符串",
        "tool_name": "工具结果消息带工具名",
        "alternates": "相邻的用户消息合并为一条",
        "user_after_tool": "用户紧接工具结果发言时，中间补一条助手消息“…”",
        "ids": "调用 id 换成九位字母数字",
        "schema": "工具参数用 OpenAPI 的写法；无法表达的写进描述或省略",
        "kept": "带调用的消息会回传其思考内容",
        "required": "带调用的消息会回传其思考内容，没有则回传空字符串",
        "reasoning_field": "回传思考内容的字段：{0}",
        "signed": "思考签名随调用回传；不是它自己发出的调用使用占位签名",
        "details": "reasoning_details 原样回传",
        "filtered": "被内容过滤拒绝的提示（{0}）是结果，不算失败",
        "unpaid": "账户欠费（{0}）时不再重试",
    },
}


def differences(provider: Provider) -> list[str]:
    """Sentences about the quirks of a provider that are not the usual."""
    from toolgauge.cli.words import interface_language

    sentences = SENTENCES[interface_language()]
    return [sentences[key].format(value) for key, value in _unusual(provider.quirks)]


def _unusual(quirks: Quirks) -> Iterator[tuple[str, str]]:
    from toolgauge.models.provider import Quirks

    usual = Quirks()
    for key in Quirks.__struct_fields__:
        value = getattr(quirks, key)
        if value != getattr(usual, key):
            yield (value if key == "returned" else key), _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(
            f"{name} → {str(one).lower() if isinstance(one, bool) else one}" for name, one in value.items()
        )
    return str(value)
