"""What sentences of the kinds of text_kinds.py look like: patterns as data, English and Chinese side by side.

They are searched in a sentence that has been made plain (`text_kinds.plain`): small letters, straight quotes,
simplified Chinese, no Markdown marks. Every gap is bounded, so that a search takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property


class OneOf:
    """Any of some patterns, compiled when a sentence is first searched: all of them take as long as 1,000 verdicts."""

    def __init__(self, *patterns: str) -> None:
        self._patterns = patterns

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self._patterns)).search


def words(text: str) -> str:
    return "|".join(text.split())


def _fold(pairs: str) -> dict[int, str]:
    return {ord(pairs[place]): pairs[place + 1] for place in range(0, len(pairs), 2)}


FOLDED = _fold(
    "無无請请讓让幫帮辦办沒没為为經经訂订設设發发詢询預预嗎吗個个還还這这來来檢检尋寻"
    "時时實实訊讯調调溫温點点將将會会們们對对說说問问麼么樣样號号車车價价歐欧執执權权"
    "範范圍围絕绝謝谢確确認认資资補补單单錄录關关開开獲获換换轉转務务應应該该處处後后"
    "當当陰阴氣气報报訴诉選选擇择輸输編编碼码給给從从遲迟誤误"
    "’'‘'（(）)：:，,｛{｝}＝="
    '“"”"'
)
"""Traditional Chinese characters and wide punctuation -> as the patterns write them."""

_DO = words(
    "look check search find get fetch pull retrieve book reserve cancel set send create add schedule convert"
    " call use query"
    " see process proceed start track update place order make do run calculate verify handle gather determine locate"
    " request turn change arrange adjust switch buy purchase obtain access invoke execute try continue begin transfer"
    " list put compare read open close delete remove confirm review move pay apply submit dim lock play"
)
"""What an announcement says will be done."""
_WILL = (
    r"(?:i'll|i will|i shall|i'm (?:going to|gonna|about to)|i am (?:going|about) to|let me|let's|let us|allow me to"
    r"|(?:i |we |i'll |we'll |i will )(?:first |now |will |would )?(?:need|have|want) to|i should|i must|we should)"
)
_SOON = (
    r"(?: now| just| first| quickly| go ahead and| go| go and| proceed to| then| try to| also| next| start by| need to"
    r"| help you(?: to)?)"
)
_DOING = words(
    "searching looking checking fetching calling booking setting retrieving getting processing cancelling canceling"
    " sending creating converting pulling querying finding loading running using scheduling tracking adding updating"
    " reserving placing accessing gathering turning changing switching transferring deleting removing ordering buying"
)
_DONE = words(
    "booked reserved sent cancelled canceled found checked looked created added scheduled searched converted"
    " updated placed"
    " ordered changed removed deleted completed located retrieved arranged submitted registered saved adjusted"
    " switched"
    " bought purchased shipped delivered activated deactivated processed made moved set turned confirmed done"
    " transferred"
    " paid rescheduled put refunded dimmed locked reset"
)
_ZH_DO = (
    "(?:查|搜|找|看看|看一下|看下|预订|预定|预约|订|取消|设置|设定|发送|发|创建|换算|转换|兑换|调用|使用|获取"
    "|检索|处理|执行"
    "|计算|打开|关闭|添加|安排|更新|修改|追踪|跟踪|下单|购买|确认|核实|提交|读取|列出|加|比较|转|调|筛选|收集"
    "|删除|办理)"
)
_THINGS = (
    "(?:trains?|hotels?|flights?|options?|results?|cars?|rooms?|restaurants?|events?|orders?|departures|connections"
    "|products?|items?|matches|available)"
)

COURTESY = OneOf(
    r"\b(?:help|assist|do for) you\b(?: with)?(?: today| now| this \w+)?\W*\?",
    r"\b(?:anything|something|any(?:one|body)?) (?:else|more|other)\b",
    r"\bany (?:other|more|further) (?:questions?|help|requests?)",
    r"\b(?:help|assistance) with (?:anything|something) else",
    r"\blet me know if (?:you|there)\b.{0,20}\b(?:need|have|questions|else|anything|help)",
    r"有(?:什么|啥|哪些).{0,6}(?:帮|为您|效劳)",
    r"(?:还|其他|别的|其它).{0,12}(?:别的|其他|其它|帮助|帮忙|帮您|帮你|问题|什么).{0,12}(?:吗|呢|的|[?？])",
    r"需要(?:其他|别的|其它)",
    r"(?:如果|若|如)(?:您|你)?(?:还)?有.{0,12}(?:告诉|联系|提出|问)",
    r"随时(?:告诉|联系|问|提)",
)
"""Polite phrases that ask for nothing."""

OFFER = OneOf(
    r"\b(?:would you like me|(?:do you )?want me) to\b|\bwould you like help\b",
    r"^(?:\W|ok |okay |so )*(?:should|shall) (?:i|we)\b",
    r"(?:需要|要不要|是否需要|要|用)我.{0,30}(?:吗|[?？])",
    r"是否需要(?:我|帮)",
)
"""Offers to do what the call would have done."""

ASKS = OneOf(
    r"\bplease (?:kindly |also |first )?(?:provide|tell|share|specify|give(?! me (?:a|one|just)\b)|enter"
    r"|let me know|confirm|supply|clarify"
    r"|indicate|choose|select|state|include|fill|paste|upload|type|write|pick|describe|attach|send (?:me|us|it"
    r"|these|those|them|your|the))\b",
    r"\bi(?:'d| would|'ll| will)? need you to\b",
    r"\bkindly (?:provide|share|specify|confirm|tell)",
    r"\bplease (?:provide|supply|confirm|specify) it\b",
    r"\blet me know (?:your|the|which|what|when|where|how many|how much|who|whether|if you'd (?:like|prefer))\b",
    r"^(?:\W|so |ok(?:ay)? |just )*(?:tell|give) me (?:your|the|which|what|where|when|how|who|more)\b",
    r"\b(?:i|we)(?:'ll| will| would|'d)?(?: still| also| just| first)? (?:need|require)"
    r" (?:to know|a few|a bit|some more|some additional|some details|more|your|additional|further|the following)\b",
    r"\bi(?:'ll| will)?(?: still| also| just)? (?:need|require) (?:the|a|an)(?: \w+(?:'s)?){0,2}"
    r" (?:number|address|name|names|date|dates|code|details?|id|location|city|currency|time|email|symbol)\b",
    r"\bi(?:'m| am) not (?:quite |entirely )?(?:sure|certain) (?:which|what|who|where|when)\b",
    r"\b(?:would|'d) be (?:helpful|useful|good) to know\b",
    r"\bmissing (?:the )?(?:required )?(?:parameter|argument|information|field)s?\b",
    r"\bjust to (?:confirm|clarify|check|be sure)\b",
    r"请(?:您|你)?(?:先|再|务必|继续|重新)?(?:提供|告诉|告知|说明|输入|补充|确认|选择|指定|描述|说一下|说下"
    r"|回复|给出|填写|明确)",
    r"请问(?:您|你)?",
    r"(?:请(?:把|将)|把(?:您|你)的).{1,16}(?:发|告诉|提供|给|贴|传)(?:给)?我?",
    r"需要(?:您|你)(?:先|再)?.{0,4}(?:确认|提供|补充|告诉)",
    r"我(?:还)?需要(?:您的|你的|(?:了解|知道)(?:您|你))",
    r"麻烦(?:您|你)?.{0,4}(?:提供|告知|说|确认|告诉|补充|给|发|选)",
    r"^\W*(?:告诉我|说一下|说下)",
    r"(?:还|都|才|但|我|先|就|不过|前,?)需要(?:您|你)?(?:再)?(?:提供|确认|知道|补充|告诉|以下|一些)",
    r"需要(?:您|你)(?:再)?(?:提供|确认|补充|告诉|告知)",
    r"缺少?(?:了)?(?:必要|必填|必需)?(?:的)?(?:参数|信息)",
    r"(?:跟|和|与|向)(?:您|你)确认|^\W*确认(?:一下|下)",
    r"不(?:太)?(?:确定|清楚)(?:您|你)",
)
"""Requests for information, a choice or a confirmation, with or without a question mark."""

UNMARKED_QUESTION = OneOf(
    r"^(?:\W|ok |okay |and |so |sure )*(?:which|what|where|when|who|whose|how (?:many|much|long))\b[^.!]{0,50}$",
    r"^[^,。]{0,20}(?:哪(?:天|个|里|儿|位|一个|一家)?|几(?:位|个|点|号|晚)|多少|什么时候|谁|哪出发)[^,。]{0,6}$",
    r"^[^,。]{1,20}还是[^,。]{1,14}$",
    r"(?:吗|呢)$",
)
"""A question without its mark, where it is the whole text or, in Chinese, ends in a particle."""

CONDITIONAL = OneOf(
    r"^(?:\W|and |but )*(?:if|once|when|whenever|after|as soon as|until|unless|in case)\b",
    r"^\W*(?:如果|若|当(?![前然地天日])|一旦|如|假如|要是|只要)",
)
"""Sentences about what would be: no claim, no request, no announcement."""

DECLINES = OneOf(
    r"\b(?:i|we)(?: \w+ly| just| also)? (?:can(?:not|'t| not)|won't|will not|wouldn't|would not|couldn't"
    r"|could not)\b",
    r"^(?:\W|sorry|unfortunately|but|so|regrettably)*(?:can't|cannot|won't|no can do|unable to)\b",
    r"\b(?:unable|impossible|not able|not permitted|not allowed|not authori[sz]ed|not equipped|not designed"
    r"|not programmed|not capable)\b",
    r"\bnothing (?:that )?(?:i|we) can (?:really )?(?:help|assist|do)\b",
    r"(?:\bnot|n't) (?:possible\b|something (?:that )?(?:i|we)\b)",
    r"\b(?:i|we) have no (?!problem|doubt|preference)|^(?:\W|nope|no|sorry)*\bcan't\b",
    r"\bno (?:\w+ )?(?:tools?|functions?)\b.{0,40}\b(?:can|could|available|provided|suitable|here|covers?|for)\b",
    r"\b(?:question|request|query|task|input) lacks?\b",
    r"\b(?:i|we|tools?|functions?|assistant|system|data)(?: (?!you|they)\w+){0,4}"
    r" (?:don't|do not|doesn't|does not|didn't) (?:currently |actually |yet )?"
    r"(?:have|provide|offer|include|support|possess|allow|let me|contain)\b",
    r"\b(?:have|has|with|there is|there's|there are|i see) no (?:\w+ ){0,2}"
    r"(?:access|way|tools?|functions?|ability|abilities|permission|capability|information|data)\b",
    r"\bnone of (?:the|my|these|those)\b.{0,30}\b(?:tools?|functions?)\b",
    r"\b(?:tools?|functions?)\b.{0,30}\b(?:can't|cannot|lack|don't|do not|doesn't|does not)\b",
    r"\b(?:can't|cannot|can not) be (?:completed|carried|done|fulfilled|processed|answered|performed|executed|met)\b",
    r"\b(?:beyond|outside|out of|falls outside)(?: of)? (?:my|what i|the) ?(?:capabilit|abilit|scope|can\b"
    r"|knowledge|reach)",
    r"\bagainst my\b|\b(?:must|have to|need to) (?:decline|refuse)\b|\bi (?:decline|refuse|regret)\b",
    r"\bmy (?:knowledge|training)\b.{0,40}\b(?:only|doesn't|does not|cut-?off|up to|until|ends)\b",
    r"\bi (?:really )?(?:don't|do not) know\b",
    r"\black(?:s|ing)? (?:the )?(?:ability|capability|capacity|access|permission)\b",
    r"(?:\bnot|n't) (?:within my|available to me)\b|\bi (?:don't|do not) (?:think|believe) (?:that )?i can\b",
    r"(?<![你您])(?:无法|没法|没有?办法|做不到|做不了|帮不了|帮不上忙|查不了|办不到|不支持|不具备|无权|不提供)",
    r"(?:我|工具|函数|功能|请求|系统|模型|暂时|目前|因此|所以|均|都|也|并|一个)不能",
    r"^(?:\W|抱歉|对不起|不好意思|很遗憾|sorry)*(?:不能|不行|不可以|做不|不会(?:这么|这样)做)",
    r"我不(?:能|会这么做|会这样做|知道|了解|清楚(?!您|你))",
    r"(?:没有|缺乏|缺少|无|没)(?:可用|可用于|相应|相关|合适|任何|直接|一个|能够|修改|访问|追踪|发送|查询"
    r"|的){0,3}.{0,10}"
    r"(?:工具|函数|功能|能力|权限|接口)",
    r"(?:获取|访问|看|连)不到|我(?:找|查)不到|并?不(?:太)?(?:了解|知道)(?!您|你)|我不会(?!忘|让)|不是我能"
    r"|恐怕(?:不|没|无)",
    r"(?<![免少忘受大])(?<=[一-鿿])不了(?![解了])",
    r"不在(?:我|本|我们|服务|能力).{0,8}范围",
    r"(?:不能|不便|不予)(?:透露|提供|执行|处理|查看|查询|告知)|(?:是)?不可以的?\W*$",
    r"我(?:并|也|还|这里|这边)?没有(?:这|该|相关|任何|可以|办法|权限|能力|实时|直接|此)",
    r"没有(?:任何)?一个.{0,8}(?:能|可以|适合)",
    r"超出(?:了)?(?:我|本|我们|服务|能力|该)",
    r"(?:拒绝|谢绝)(?:执行|回答|该|此|这)|我(?:必须)?拒绝|恕(?:我|难)",
    r"(?:知识|训练).{0,8}(?:截止|截至|不包含|不包括)",
)
"""Says that it cannot or will not."""

ANNOUNCES = OneOf(
    rf"\b{_WILL}{_SOON}{{0,3}} (?:{_DO})\b(?! (?:to know|sure|the work|my|everything|well))",
    rf"\b{_WILL}{_SOON}{{0,3}} take (?:a look|care of (?:that|this|it))",
    r"\b(?:i'm|i am) going to (?!be\b|need|assume|explain|have|tell|say|give|show|suggest|guess)\w+",
    r"\b(?:i'll|i will|i shall)(?: now| quickly| go ahead and)+ (?!be\b|need|assume|explain|have|tell|say|give"
    r"|show|suggest|guess)\w+",
    r"^(?:\W|(?:ok|okay|sure|alright|right|great|certainly|now"
    r"|thanks)[\s,])*(?:now )?\w{3,12}ing\b[^.!?]{0,40}(?:\.\.|…)",
    r"\bi'll be right back\b|\ballow me (?:a|one)\b",
    rf"\b(?:i'm|i am)(?: now| currently| just)? (?:{_DOING})\b(?! forward)",
    rf"^(?:\W|(?:ok|okay|sure|alright|right|got it|gotcha|great|certainly|now|thanks|thank you|currently|just)[\s,])*"
    rf"(?:{_DOING}) (?!.*\b(?:is|are|was|can|could|involves?|requires?|means|may|should|has|have|will)\b)"
    rf"(?:.*\b(?:now|for you|your|right away)\b|.*(?:\.\.|…)"
    rf"|(?:(?:off|on|up|down|out|in) )?(?:the|your|that|this|it|them|two)\b|[\w.]+_\w+|for\b)",
    rf"^(?:{_DOING})(?: \w+){{0,4}} ?(?:\.\.|…)",
    r"\b(?:one|a|just a) (?:moment|second|sec|minute|sec)\b|\bplease (?:wait|hold)\b|\bhold on\b|\bhang (?:on"
    r"|tight)\b"
    r"|\bbear with me\b",
    r"\bgive me (?:a|one|just)\b.{0,6}\b(?:sec|second|moment|minute)\b",
    r"(?:给我|容我)(?:一点|一些|几秒|片刻|点)",
    r"(?:查询|搜索|发送|处理|加载|获取|预订|下单|计算|检索|执行|读取)中\W*$",
    rf"^\W*我们(?:先|来|首先){_ZH_DO}",
    r"让我们?(?!知道|告诉|觉|感)|我来(?!自|到|说|介绍|解释|回答)|我先(?!说|声明|解释)|我现在(?:就|来|开始)",
    r"正在[一-鿿]{1,6}\W*(?:\.\.|…)|为(?:您|你).{1,8}中\W*$",
    rf"我(?:们|这边|先|来|这就|马上|立即|立刻|现在|就|会|将|去|要|需要|应该|得|准备|打算|帮您|帮你|为您|给您"
    rf"|尝试|接下来|正在|打算|准备|再){{1,4}}"
    rf".{{0,14}}{_ZH_DO}",
    rf"(?:正在|马上|这就|立即|立刻|即将|接下来|随后)[^您]{{0,2}}(?:为您|帮您|给您|为你|帮你|给你|我|将|会"
    rf"|去){{0,3}}.{{0,6}}{_ZH_DO}",
    r"(?:马上|这就|立刻|立即)(?:去|处理|办|为|帮|给|把|下单)",
    r"稍等|稍候|请等|等我|耐心等|等一下",
    rf"^\W*(?:好,?|好的,?|ok,?)?(?:首先|先|接下来)(?:要|需要|来|去)?{_ZH_DO}",
    r"^\W*(?:现在)?(?:开始)?调用 ?[`\w]",
    r"(?:应该|应当|需要|需|要|先)(?:先)?调用",
    r"我看看|我看一下|我(?:查|找)(?!不|到)",
    rf"let me.{{0,4}}{_ZH_DO}",
)
"""Says that it is making a call, or about to."""

CLAIMS = OneOf(
    rf"\b(?:i've|i have|we've|we have)(?: just| now| already| also| successfully| gone ahead and){{0,3}}"
    rf" (?:{_DONE}|\w+(?:ferred|cked|nged|wed|lled|tched|dated|ved|sed|ited))\b",
    rf"\bi(?: just| already| successfully| went ahead and)? (?:{_DONE})\b",
    rf"(?<!\bi )\b(?:has|have)(?: now| already| just| successfully)* been(?: now| already| successfully)*"
    rf" (?:{_DONE}|(?!trained|designed|programmed|asked|used|provided|called|based|limited)\w{{3,12}}(?:ed|en))\b",
    r"\byou(?: currently| now)? have (?:\d+|one|two|three|four|five|six|no) (?:\w+ ){0,2}"
    r"(?:messages?|e-?mails?|appointments?|events?|meetings?|reminders?|alarms?|orders?|bookings?|bills?)\b",
    rf"\bsuccessfully (?:{_DONE})\b",
    r"\b(?:booking|reservation|order|event|alarm|reminder|appointment|meeting|message|email|payment|tickets?"
    r"|train)\b.{0,40}"
    r"\b(?:is|was|are|were|set)(?: now| already)? (?:confirmed|booked|scheduled|sent|cancell?ed|shipped"
    r"|delivered|created"
    r"|set|complete|out for delivery)\b",
    r"\b(?:event|order|booking|alarm|reminder|reservation|meeting) (?:created|placed|confirmed|set|cancelled"
    r"|added)\b",
    r"\b(?:confirmation|booking|reservation)(?: (?:number|id|code|reference|no))?(?: is)?\W{1,3}(?=\w{0,4}\W?\d)",
    r"^(?:\W|ok |okay |great |perfect )*(?:done|all set|all done|sent|booked|cancelled|success)(?:\W|$)",
    rf"\bhere(?:'s| is| are)\b(?! how)(?=.{{0,40}}\b(?:{_THINGS}|forecast|weather|schedule|prices?|list)\b)",
    r"\b(?:based on|according to) (?:the|my|our|your|this)(?: \w+){0,2}"
    r" (?:results?|data|schedule|records|forecast|search|timetable)\b",
    rf"\bthere (?:is|are)(?: currently| also)? (?:\d+|two|three|four|five|six)(?: \w+){{0,2}} {_THINGS}",
    r"\bthe (?:cheapest|fastest|closest|nearest|earliest|best)(?: (?:one|option|hotel|train|match|price|flight"
    r"|choice))?"
    r"(?: \w+){0,3} (?:is|are|leaves|departs)\b(?! to\b)",
    r"(?<![是您你而])已(?:经)?(?:为您|为你|帮|给|替|将|把|从|按|成功|到达|到账|加入|放入|送达|发货|发送|发给"
    r"|设置|设为|设成|设好|订好|订了"
    r"|预订|预约|取消|改|添加|创建|完成|安排|下单|更新|修改|关闭|关|打开|开启|调|换算|确认|保存|购买|删除|支付"
    r"|转账|转入|提交)",
    r"(?<![是您你而])已(?:经)?[一-鿿]{1,4}完成|您有(?:\d+|[一二三四五六两])(?:条|个|封|份)|正在播放|着的\W*$",
    r"(?:预订|设置|创建|取消|发送|添加|修改|购买|下单|支付|操作|更新|预约)(?:已)?成功|成功(?:预订|设置|创建"
    r"|取消|发送|添加)",
    r"(?:为|帮|给)(?:您|你)(?:找到|查到|订好|搜到)|找到(?:了)?(?:以下|如下|\d|[一二三四五六七八九十两几])"
    r"|查到了|我查了|搜到了?",
    r"以下是.{0,20}(?:酒店|车次|航班|结果|天气|列表|选项|方案|订单)|(?:预报|结果|信息|酒店)如下",
    r"根据.{0,6}(?:(?:搜索|查询|检索)(?:的)?结果|最新数据|当前数据)",
    r"(?:订|办|设|关|开|发|弄|调|取消|安排|预约|设置|改|调到|打开)好了?(?=\W|了|今|明|$)|搞定|办妥|(?:关掉|取消"
    r"|发送|打开|删除)了",
    r"把.{1,14}(?:调到|设为|设成|改到|改成|关掉|打开)(?:了)?\d",
    r"(?:确认|预订|预约|订单)(?:编)?号(?:为|是|:)? ?[a-z]{0,4}-?\d",
    r"最(?:便宜|近|快|早|划算|佳)(?:的)?.{0,8}(?:是|为)(?!什么|哪)",
    r"有[\d两三四五六](?:趟|家|班|款)|共有?[一二三四五六两\d]+(?:趟|家|班|款|个)",
)
"""Says that something was done or found."""

_UNIT = words(
    "degrees celsius fahrenheit euros? eur usd dollars? pounds? gbp km miles minutes? mins? hours? hrs? kwh"
    " percent stars"
    " calories kcal grams? kg ml people servings points"
)
VALUE = OneOf(
    r"[$€£¥]\s?\d",
    rf"\d\s?(?:%|°|º|℃|(?:{_UNIT})\b)",
    r"(?<!\d)\d{1,2}:\d\d(?!\d)",
    r"\d ?(?:am|pm|a\.m\.|p\.m\.)\b",
    r"\d ?(?:度|℃|欧元|美元|元|块|％|分钟|小时|公里|号站台|点半?|级|大卡|克|公斤|毫升|人份|分|星)",
)
"""A value that a tool would have given, with its unit."""

STATES = OneOf(
    r"^\d{1,2}[.)] ",
    r"\b(?:is|are|was|were|will be|would be|'s|it's|serves?|costs?|takes?|leaves?|departs?|arrives?|lands?"
    r"|closed|trading|equals?|comes to"
    r"|opens?|starts?|ends?|has|have|gets)\b|=",
    r"(?:为|是|约|共|仅|剩|等于|达|需要?|用了|现在|目前|最高|最低|温|价|费|每晚|全程|晚点|延误|有|收盘|上涨|下跌|持续)[^\d,。]{0,5}\d",
    r"\d(?:[:\d]*\d)?(?:分|点)?.{0,12}(?:发车|出发|起飞|降落|到达|抵达|送达|开门|关门|开始|结束|→|,(?:有|晴|多云|阴|小雨|大雨))",
    r"(?:晴|多云|阴|小雨|大雨)[^。]{0,8}\d",
)
"""The rest of a sentence that states a value."""

STATUS = OneOf(
    r"\b(?:is|are|'s)(?: now| currently)? (?:on|off|open|closed|delayed|on time|running late|available|sold out"
    r"|locked|unlocked|full|empty)"
    r"(?: now| by .{1,20})?\W*$",
    r"\b(?:weather|forecast|it's|it is|it will be)\b.{0,40}\b(?:sunny|cloudy|rainy|raining|snowy|snowing"
    r"|overcast|rain)\b",
    r"^(?:yes|yep|no|nope)\W+(?:the|it|there|they|your|that)\b",
    r"\bthe (?:answer|result|total|balance|winner|score|current \w+)\b.{0,40} (?:is|was|are|were"
    r"|comes to)\b(?! (?:not|required|needed|to)\b)",
    r"^(?:\W|sure|ok|okay|great|good news)*your (?!request|question|message|query|input|patience|wish|privacy"
    r"|safety|help|feedback)"
    r"[\w ]{1,30}? (?:is|are|was|were|has been|have been|will)\b(?! (?:required|needed|missing|important|not"
    r"|unclear|incomplete|very|be (?:required|needed)))",
    r"(?:结果|答案|总数|总价|总额|余额|比分|气温|汇率)(?:为|是).{1,40}",
    r"(?:晚点|延误|准点|正在派送|有货|缺货|已售罄|(?:开|关)了\W*$|大雨|小雨|多云|晴天)",
    r"^(?:有的|是的|没有),(?!我|请|让)",
)
"""A statement of how things stand, without a number."""

TERSE_VALUE = OneOf(
    r"^(?:\W|\d|and|with|degrees|celsius|euros?|eur|usd|dollars|am|pm|rain|sunny|cloudy|snow|wind|light|heavy|c|f"
    r"|度|℃|有|小雨|大雨|雨|晴|多云|阴|雪|转|元|欧元|美元|点|分)+$"
)
"""Nothing but a value: "12 degrees and rain"."""

NOT_STATED = OneOf(
    r"^(?:\W|so |ok |okay |i see |i understand )*you(?:'d|'re| would| are| want| asked| said| mentioned| need"
    r"| can| could| may"
    r"| should|r request)\b",
    r"\b(?:you can|you could|you may|you want|the user|please|if you|for example|such as|usually|typically)\b",
    r"^(?:any|need|want|find|book|set|send|get|can|could|i want|i need|i'd like)\b",
    r"(?:您|你)(?:想|要|可以|需要|说|提到|可|希望)|用户|如果|建议|请|麻烦|帮我|给我|我想|我要|吗|哪|什么|啥"
    r"|怎么|多少|想要",
)
"""Advice, wishes and what the user said: values in them are not stated as facts."""
