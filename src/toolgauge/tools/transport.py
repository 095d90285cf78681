"""Headers that belong to the transport of a request and not to what it asks for: tracing, caching, credentials.

Sources: RFC 9110 and 9111 (HTTP), W3C Trace Context, OpenTelemetry's B3 and the headers of well-known clouds.
"""

from __future__ import annotations

import re

_TRANSPORT = re.compile(
    r"accept(?:-(?!language$).*)?|content-.*|authorization|proxy-.*|cookie|host|connection|keep-alive|te|trailer|upgrade"
    r"|transfer-encoding|user-agent|origin|referer|from|date|via|forwarded|expect|pragma|cache-control|prefer"
    r"|if-(?:none-)?match|if-(?:un)?modified-since|if-range|last-event-id|priority|dnt|sec-.*|access-control-.*"
    r"|traceparent|tracestate|baggage|b3|sentry-trace|uber-trace-id|newrelic|grpc-.*"
    r"|(?:x-)?(?:request|correlation|trace|span|transaction|client-request|amzn-trace|amzn-request|ms-client-request"
    r"|cloud-trace)-?(?:id|context)|x-b3-.*|x-datadog-.*|x-ot-.*|x-forwarded-.*|x-real-ip|x-client-ip"
    r"|(?:x-)?idempotency-key|(?:x-)?(?:api-?key|auth-token|access-token|csrf-token|xsrf-token)|x-requested-with"
    r"|x-http-method-override|x-(?:client|sdk)-(?:name|version|info)"
)


def is_transport(name: str) -> bool:
    """Whether a header of this name says how a request travels, so that nobody who talks about a task knows it."""
    return _TRANSPORT.fullmatch(name.strip().lower().replace("_", "-")) is not None
