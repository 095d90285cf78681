"""Chinese for the English that the rooms below hand up: names in tables, the probe's line, why a run stopped.

An English key stands for itself, with gaps for text, {}, and for numbers, {#}; the Chinese has them by position.
What is not here, such as error messages, stays English.
"""

from __future__ import annotations

import re
from functools import cache

from toolgauge.cli.words import interface_language

CHINESE = {
    # data sets and providers
    "WildToolBench: 256 sessions of 4 tasks, English and Chinese": "WildToolBench：256 个会话，每个 4 个任务，中英双语",
    "Multi-Mission Tool Bench: 256 sessions of 4 tasks, English and Chinese": (
        "Multi-Mission Tool Bench：256 个会话，每个 4 个任务，中英双语"
    ),
    "ACEBench: 17 categories, 1,023 entries in English and 1,017 in Chinese": (
        "ACEBench：17 个类别，英文 1,023 条，中文 1,017 条"
    ),
    "the MMTB authors' predictions of 28 models": "MMTB 作者发布的 28 个模型的预测结果",
    "OpenAI, or any compatible server with --base-url": "OpenAI，或用 --base-url 指定的任何兼容服务",
    "Azure OpenAI; the model is the deployment's name": "Azure OpenAI；模型名填部署名称",
    "OpenAI's Responses API, or a server that has it": "OpenAI 的 Responses API，或支持它的服务",
    "Anthropic: Claude": "Anthropic 公司：Claude",
    "Google: Gemini": "谷歌：Gemini",
    "DeepSeek": "深度求索 DeepSeek",
    "Alibaba Cloud Model Studio (DashScope): Qwen": "阿里云百炼（DashScope）：通义千问",
    "Moonshot AI: Kimi": "月之暗面：Kimi",
    "Zhipu AI (Z.ai): GLM": "智谱（Z.ai）：GLM",
    "Mistral AI": "Mistral AI 公司",
    "xAI: Grok": "xAI 公司：Grok",
    "Volcengine Ark: Doubao": "火山方舟：豆包",
    "Tencent Hunyuan": "腾讯混元",
    "OpenRouter": "OpenRouter 平台",
    "Together AI": "Together AI 平台",
    "Groq": "Groq 平台",
    "Fireworks AI": "Fireworks AI 平台",
    "SiliconFlow": "硅基流动 SiliconFlow",
    "vLLM on this machine": "本机的 vLLM",
    "SGLang on this machine": "本机的 SGLang",
    "Ollama on this machine": "本机的 Ollama",
    "llama.cpp's server on this machine": "本机的 llama.cpp 服务",
    # titles of the statistics
    "Size": "规模",
    "Task types": "任务类型",
    "References": "隐藏信息",
    "Parameter types of distinct tools": "参数类型（同名工具只计一次）",
    "Dialogue turns per session": "每个会话的对话轮数",
    "Tool calls per task": "每个任务的工具调用次数",
    "Tools per session": "每个会话的工具数",
    "Transitions (row: a task, column: the next one)": "任务类型转移（行：当前任务，列：下一任务）",
    "Changes of kind per session": "每个会话的类型切换次数",
    "Categories": "类别",
    "Functions on offer": "可用函数数",
    "Calls expected (first alternative)": "应有的调用次数（取首个答案）",
    "Parameter types of distinct functions": "参数类型（同名函数只计一次）",
    "Turns per session": "每个会话的轮数",
    "Environments involved": "涉及的环境",
    "Milestones (first alternative)": "里程碑数（取首个答案）",
    # columns
    "type": "类型",
    "reference": "隐藏信息",
    "count": "数量",
    "share": "占比",
    "turns": "轮数",
    "calls": "调用次数",
    "tools": "工具数",
    "changes": "切换次数",
    "functions": "函数数",
    "category": "类别",
    "published": "公开数据",
    # rows
    "sessions": "会话数",
    "tasks": "任务数",
    "entries": "条目数",
    "dialogue turns per session": "每个会话的对话轮数",
    "tool calls per task that has any": "每个任务的工具调用次数（不计无调用的任务）",
    "distinct tool names": "不同的工具名",
    "distinct function names": "不同的函数名",
    "normal entries": "Normal（常规）条目",
    "special entries": "Special（特殊）条目",
    "agent entries": "Agent（智能体）条目",
    "several accepted answers": "有多个标准答案",
    "several accepted courses (agents)": "有多条标准路径（智能体）",
    "without a date": "缺少日期",
    "single_tool": "单工具",
    "parallel_tools": "多工具（并行）",
    "sequential_tools": "多工具（串行）",
    "mixed_tools": "多工具（混合）",
    "single": "单工具",
    "multi": "多工具",
    "clarify": "反问澄清",
    "chat": "闲聊",
    "first_turn": "首个任务",
    "coreference": "指代理解",
    "partial_information": "省略成分",
    "long_range": "长期记忆",
    "string enum": "string（枚举）",
    "integer enum": "integer（枚举）",
    "nested object": "object（嵌套）",
    "other": "其他",
    # cells
    "{#} ({#} per session)": "{0}（每个会话 {1} 个）",
    "{#} ({#} definitions)": "{0}（共 {1} 处定义）",
    "{#} ({#} descriptions)": "{0}（共 {1} 处描述）",
    "{#} (published: {#})": "{0}（公开数据：{1}）",
    "{#} of {#}": "{0} / {1}",
    # the probe
    "{}: answers, makes a valid tool call and takes the result back ({#} s)": (
        "{0}：有应答，能正确调用工具，也能接收工具结果（{1} 秒）"
    ),
    "{}: makes a valid tool call, but {} ({#} s)": "{0}：能正确调用工具，但是：{1}（{2} 秒）",
    "{}: answers, but {} ({#} s)": "{0}：有应答，但是：{1}（{2} 秒）",
    "{}: does not answer: {} ({#} s)": "{0}：没有应答：{1}（{2} 秒）",
    "does not answer in words when it is sent the tool's result": "收到工具结果后没有用文字作答",
    "answers in words where a tool call is needed (does its server have tool calling switched on?)": (
        "需要调用工具时却用文字作答（服务端是否启用了工具调用？）"
    ),
    "its tool call lacks an id": "工具调用缺少 id",
    "it calls '{}', which is not offered": "调用了未提供的工具“{0}”",
    "the arguments of its tool call are not what the tool's definition asks for": "工具调用的参数不符合工具定义",
    # what a batch does
    "validating": "校验中",
    "in_progress": "处理中",
    "finalizing": "汇总中",
    "completed": "已完成",
    "expired": "已过期",
    "failed": "失败",
    "cancelling": "取消中",
    "cancelled": "已取消",
    # why a run stopped
    "interrupted": "用户中断",
    "the budget is spent ({})": "预算已用完（{0}）",
    "{#} tokens used, --max-tokens-total is {#}": "已用 {0} 个 token，--max-tokens-total 为 {1}",
    "${#} spent, --max-cost is ${#}": "已花费 ${0}，--max-cost 为 ${1}",
    "{#} conversations in a row could not be had, the last because: {}": "连续 {0} 个对话未能完成，最后一个的原因：{1}",
}


def local(english: str) -> str:
    """What a room below says, in the interface's language."""
    return _chinese(english) if interface_language() == "zh" else english


def _chinese(english: str) -> str:
    if english in CHINESE:
        return CHINESE[english]
    for pattern, chinese in _with_gaps():
        if found := pattern.fullmatch(english):
            parts = found.groups()
            return chinese.format(*(_chinese(part) if " " in part else part for part in parts))  # no names: sentences
    return english


@cache
def _with_gaps() -> list[tuple[re.Pattern[str], str]]:
    gaps = {"{}": "(.+?)", "{#}": r"([\d.,]+)"}
    parts = {english: re.split(r"(\{#?\})", english) for english in CHINESE if "{" in english}
    return [
        (re.compile("".join(gaps.get(part) or re.escape(part) for part in split), re.DOTALL), CHINESE[english])
        for english, split in parts.items()
    ]
