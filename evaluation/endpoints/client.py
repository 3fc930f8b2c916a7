"""One chat request to an OpenAI-compatible endpoint: what is sent, how an answer is judged, what is remembered.

The client sends the messages as they are: it edits no prompt, adds no message, offers no tools. It renegotiates fields
that a server refuses (`negotiate.py`), but does not repeat a request that failed: pacing and retries stand elsewhere.
"""

import asyncio
import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Self

from evaluation.endpoints.address import chat_url, final_address, normalise_base_url, other_base_url
from evaluation.endpoints.body import Body, read_body, read_error
from evaluation.endpoints.errors import FAULTS, EndpointError, Kind, fault
from evaluation.endpoints.finish_reasons import is_filter
from evaluation.endpoints.json_text import charset_of, storable
from evaluation.endpoints.keys import REPLACEMENT, Scrubber
from evaluation.endpoints.messages import OWN_TEMPERATURE, ChatRequest, Completion, Target
from evaluation.endpoints.negotiate import Negotiated, Sent, adapt, planned
from evaluation.endpoints.passage import STRICT_GUARD, Guard, Passage
from evaluation.endpoints.retry_after import retry_after_seconds
from evaluation.endpoints.server_errors import ServerError, fault_code
from evaluation.endpoints.transport import RawReply, Transport
from evaluation.shortening import shortened

__all__ = ["ChatClient", "ChatRequest", "Completion", "Negotiated", "Target", "normalise_base_url"]

MAX_CHANGES = 5
EXCERPT_CHARACTERS = 300
NAME_CHARACTERS = 200
ECHO_CHARACTERS = 30  # so many in a row of the prompt are no chance

_WRONG_ADDRESS = "not-a-chat-api"
_MASKED = re.compile(r"([\w-]*)(\*{3,}|\.{3,}|…|[•●·]{3,})([\w*-]*)")


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An exchange without a reply: the error to raise, and the server's words where it may be negotiated."""

    error: EndpointError
    words: ServerError


class ChatClient:
    """Asks one target, over one aiohttp session for one run. Use as an async context manager.

    Args:
        max_connections: open at once; more requests than that wait, under their own deadline.
        guard: which addresses may be called. The one that stands in for none lets through the public internet only.
        negotiated: what an earlier slice of the same run settled on; changed in place.
        answered: whether the address has answered in an earlier slice, and so is right.
    """

    def __init__(
        self,
        target: Target,
        *,
        max_connections: int,
        guard: Guard = STRICT_GUARD,
        negotiated: Negotiated | None = None,
        answered: bool = False,
    ) -> None:
        self.negotiated = negotiated or Negotiated()
        self.negotiated.base_url = self.negotiated.base_url or target.base_url
        self._target = target
        self._addresses = (self.negotiated.base_url, other_base_url(self.negotiated.base_url))
        self._wrong_addresses: set[str] = set()
        self._answered = answered
        self._scrubber = Scrubber(target.api_key)
        self._transport = Transport(
            api_key=target.api_key,
            max_bytes=target.max_bytes,
            max_connections=max_connections,
            silence_seconds=target.silence_seconds,
            passage=Passage(guard, target.base_url, has_key=bool(target.api_key)),
        )

    async def __aenter__(self) -> Self:
        await self._transport.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.close()

    @property
    def requests_sent(self) -> int:
        """Every HTTP request made so far, refused and renegotiated ones included."""
        return self._transport.requests_sent

    async def complete(self, request: ChatRequest) -> Completion:
        """The reply to one request, within the target's deadline.

        Raises:
            EndpointError: for anything that is no reply.
        """
        try:
            async with asyncio.timeout(self._target.timeout_seconds):
                return await self._converse(request)
        except TimeoutError:
            pass
        # Raised out here, so that no exception with the request's headers in it stays as its context.
        raise fault("timeout")

    async def _converse(self, request: ChatRequest) -> Completion:
        sent = self._planned(request)
        asked = sent.max_tokens
        first = outcome = await self._exchange(sent, request)
        for _ in range(MAX_CHANGES):
            if isinstance(outcome, Completion) or not self._another_way(sent, outcome, sent.max_tokens == asked):
                break
            sent = self._planned(request)
            outcome = await self._exchange(sent, request)
        if isinstance(outcome, _Refusal):
            raise _telling(first, outcome)
        self._answered = True
        return outcome

    def _planned(self, request: ChatRequest) -> Sent:
        return planned(self.negotiated, max_tokens=request.max_tokens, temperature=request.temperature)

    async def _exchange(self, sent: Sent, request: ChatRequest) -> Completion | _Refusal:
        content = json.dumps(self._fields(sent, request)).encode()
        reply = await self._transport.post(chat_url(sent.base_url), content)
        try:
            success = 200 <= reply.status < 300
            charset = charset_of(reply.headers.get("Content-Type", ""))
            read = read_body(reply.body, charset) if success else read_error(reply.body, reply.status, charset)
        except EndpointError as error:
            return self._unreadable(error, request)
        if isinstance(read, ServerError):
            return self._refusal(read, reply, sent, request)
        if read.unfinished:
            return self._unfinished(read, reply, request)
        own = sent.temperature is None and request.temperature is not None
        return self._completion(read, reply, own)

    def _fields(self, sent: Sent, request: ChatRequest) -> dict[str, object]:
        fields: dict[str, object] = {
            **request.extra,
            **self._target.extra_body,
            "model": self._target.api_model,
            "messages": [asdict(message) for message in request.messages],
            sent.token_field: sent.max_tokens,
            "stream": False,
        }
        return fields if sent.temperature is None else fields | {"temperature": sent.temperature}

    def _another_way(self, sent: Sent, refusal: _Refusal, may_lower: bool) -> bool:
        """Whether to send again: to the other address, or under what `adapt` has changed."""
        if refusal.error.code == _WRONG_ADDRESS:
            return self._another_address(sent)
        return adapt(self.negotiated, sent, refusal.words, may_lower=may_lower)

    def _another_address(self, sent: Sent) -> bool:
        """Whether the address with or without `/v1` is still untried. Only before the first reply of the run."""
        if self._answered:
            return False
        self._wrong_addresses.add(sent.base_url)
        untried = [address for address in self._addresses if address not in self._wrong_addresses]
        self.negotiated.base_url = untried[0] if untried else self._addresses[0]
        return bool(untried)

    def _unreadable(self, error: EndpointError, request: ChatRequest) -> _Refusal:
        kind = self._kind_of_address_fault() if error.code == _WRONG_ADDRESS else None
        excerpt = self._excerpt(error.words, request)
        return _Refusal(fault(error.code, status=error.status, excerpt=excerpt, kind=kind), ServerError(0))

    def _unfinished(self, body: Body, reply: RawReply, request: ChatRequest) -> _Refusal:
        code = "filtered-reply" if is_filter(body.unfinished) else "unfinished"
        error = fault(code, status=reply.status, excerpt=self._excerpt(body.unfinished, request))
        error.spent = (body.prompt_tokens or 0, body.completion_tokens or 0)
        return _Refusal(error, ServerError(0))

    def _kind_of_address_fault(self) -> Kind:
        """An address that has answered is right: a web page in its place is then an outage, and may pass."""
        return Kind.RETRY if self._answered else Kind.CONFIG

    def _refusal(self, words: ServerError, reply: RawReply, sent: Sent, request: ChatRequest) -> _Refusal:
        code, said = fault_code(words, self._target.api_model), words.message
        if code == "redirected":
            said = final_address(reply.headers.get("Location", ""), sent.base_url)
            if said == sent.base_url:  # to a slash at the end, or to itself: no other address can be entered
                code, said = _WRONG_ADDRESS, f"redirects to {reply.headers['Location'].partition('?')[0]}"
        error = fault(
            code,
            status=reply.status if reply.status >= 300 else words.status or reply.status,
            meant_status=words.status,
            retry_after_seconds=retry_after_seconds(reply.headers, datetime.now(UTC)),
            excerpt=self._excerpt(said, request),
            kind=self._kind_of(code),
        )
        return _Refusal(error, words)

    def _kind_of(self, code: str) -> Kind | None:
        """None for the usual one. A key and a model name that have answered are right: what is refused may pass."""
        if code in (_WRONG_ADDRESS, "redirected"):
            return self._kind_of_address_fault()
        return Kind.RETRY if self._answered and FAULTS[code].kind is Kind.RUN else None

    def _excerpt(self, message: str, request: ChatRequest) -> str:
        text = self._scrubber.scrub(storable(message)[0])
        if self._target.api_key:
            text = _MASKED.sub(self._unless_masked_key, text)
        asked = " ".join(word for sent in request.messages for word in sent.content.split())
        return shortened(_before_echo(" ".join(text.split()), asked), EXCERPT_CHARACTERS)

    def _unless_masked_key(self, found: re.Match[str]) -> str:
        """The words as they stand, unless they are a key's first or last characters with signs in place of the rest,
        as servers quote it; stars stand for nothing else."""
        first, signs, last = found.groups()
        key = self._target.api_key
        ends = (bool(first) and key.startswith(first)) or (bool(last) and key.endswith(last))
        return REPLACEMENT if ends or signs.startswith("*") else found[0]

    def _completion(self, body: Body, reply: RawReply, own_temperature: bool) -> Completion:
        remarks = [*body.remarks, *([OWN_TEMPERATURE] if own_temperature else [])]

        def clean(text: str, limit: int | None = None) -> str:
            stored, removed = storable(text)
            scrubbed = self._scrubber.scrub(stored)
            remarks.extend([*removed, "key removed"] if scrubbed != stored else removed)
            return scrubbed[:limit]

        return Completion(
            text=clean(body.text),
            reasoning=clean(body.reasoning),
            finish_reason=body.finish_reason,
            tool_call=body.tool_call,
            prompt_tokens=body.prompt_tokens,
            completion_tokens=body.completion_tokens,
            model=clean(body.model, NAME_CHARACTERS),
            fingerprint=clean(body.fingerprint, NAME_CHARACTERS),
            server=clean(reply.headers.get("Server", ""), NAME_CHARACTERS),
            latency_ms=reply.latency_ms,
            remarks=tuple(dict.fromkeys(remarks)),
        )


def _before_echo(text: str, prompt: str) -> str:
    """The words before a server repeats what it was asked: the texts of a bank may be closed."""
    windows = range(len(text) - ECHO_CHARACTERS + 1)
    start = next((at for at in windows if text[at : at + ECHO_CHARACTERS] in prompt), None)
    return text if start is None else f"{text[:start].rstrip()} [prompt removed]".lstrip()


def _telling(first: Completion | _Refusal, last: _Refusal) -> EndpointError:
    """Of two addresses that are both wrong, the fault of the one that was given."""
    if isinstance(first, _Refusal) and first.error.code == last.error.code == _WRONG_ADDRESS:
        return first.error
    return last.error
