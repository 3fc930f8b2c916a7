"""What to do about each fault of an endpoint, and in which field of the form: for the dry run, the run page and mails.

Each sentence can be followed with the form alone or at the server; none speaks of a setting that the form lacks.
"""

from collections.abc import Mapping

_LOOK_AT_THE_SERVER = "Look into the server's own log, then run it again."
_FASTER = "Lower the max tokens per reply, ask fewer at once, or serve the model on a faster machine."
_TOO_MUCH = (
    "The ratings take less than 1 kB, and more than 1 MB came: look at what the server sends, and switch off its "
    "compression."
)
_RIGHT_ADDRESS = "Check that the server is up and that the address and the port are right."
_TOP_UP = "Top up the account behind the key, or use another key."
_SLOWER = (
    "Ask fewer at once, or try again in a minute. Where tokens a minute are limited, lower the max tokens per reply."
)
_LET_IN = (
    "If the server wants a key, check the key. If it does not, let requests from this board through at the server or "
    "its firewall, or serve the model elsewhere."
)

FIXES: Mapping[str, tuple[str, str]] = {
    "unreachable": ("base_url", _RIGHT_ADDRESS + " A public board reaches public addresses alone."),
    "disconnected": ("base_url", _RIGHT_ADDRESS),
    "timeout": ("max_tokens", _FASTER),
    "too-slow": ("max_tokens", _FASTER),
    "rate-limited": ("concurrency", _SLOWER),
    "quota-used-up": ("key", _TOP_UP),
    "payment-required": ("key", _TOP_UP),
    "unauthorised": ("key", "Check that the key is given, is complete and may use this model."),
    "blocked": ("base_url", _LET_IN),
    "not-a-chat-model": ("api_model", "Name a model that answers chat, or serve this one with a chat template."),
    "unknown-model": ("api_model", "Write the name as the endpoint lists it under /v1/models."),
    "refused": ("extra_body", "Change what its message names, here or at the server."),
    "context-length": ("max_tokens", "Lower the max tokens per reply, or serve the model with a longer context."),
    "content-filter": ("api_model", "Serve the model without this filter: it would refuse other items too."),
    "filtered-reply": ("api_model", "Serve the model without this filter: it would stop other replies too."),
    "unfinished": (
        "base_url",
        "Look into the server's own log: it gives up replies before their end, as it does without memory or time.",
    ),
    "redirected": ("base_url", "Enter the address that it leads to, if that is yours."),
    "address-refused": ("base_url", "Enter an address that stands on the public internet."),
    "not-a-chat-api": (
        "base_url",
        "This address isn't a chat API: enter the one under which /chat/completions answers.",
    ),
    "bad-certificate": ("base_url", "Renew the certificate, or enter the host name that it is for."),
    "too-large": ("base_url", _TOO_MUCH),
    "unknown-encoding": ("base_url", "Switch off the server's compression."),
    **dict.fromkeys(
        ("bad-http", "cut-short", "empty-body", "unreadable-json", "empty-choices", "server-error", "upstream-error"),
        ("base_url", _LOOK_AT_THE_SERVER),
    ),
}
