"""Faults that change a finished completion into one of the shapes that servers send."""

from collections.abc import Callable
from typing import Any

from evaluation.demo.faults import Call, Fault, Payload, always


def _message(payload: Payload) -> dict[str, Any]:
    message: dict[str, Any] = payload["choices"][0]["message"]
    return message


def bend_by(change: Callable[[Call, Payload], None], when: Callable[[Call], bool] = always) -> Fault:
    def bend(call: Call, payload: Payload) -> None:
        if when(call):
            change(call, payload)

    return Fault(bend=bend)


def unfinished(_: Call, payload: Payload) -> None:
    """The server stopped in the middle of the last number."""
    message = _message(payload)
    message["content"] = f"{message['content'].rstrip()[:-1]}1"
    payload["choices"][0]["finish_reason"] = "abort"


def filtered(_: Call, payload: Payload) -> None:
    message = _message(payload)
    message["content"] = message["content"][: len(message["content"]) // 2]
    payload["choices"][0]["finish_reason"] = "content_filter"


def other_stop_word(_: Call, payload: Payload) -> None:
    payload["choices"][0]["finish_reason"] = "end_turn"


def empty_error(call: Call, payload: Payload) -> None:
    """The two forms that gateways send beside every reply, in turns."""
    forms = ({"message": "", "type": "", "param": "", "code": None}, {"code": 0, "message": "success"})
    payload["error"] = forms[call.order % 2]


def refusal_apart(_: Call, payload: Payload) -> None:
    _message(payload).update(content=None, refusal="I can't help with that.")


def null_content(_: Call, payload: Payload) -> None:
    _message(payload)["content"] = None


def all_reasoning(_: Call, payload: Payload) -> None:
    message = _message(payload)
    message.update(content=None, reasoning_content=message["content"])
    payload["choices"][0]["finish_reason"] = "length"


def answer_as_reasoning(_: Call, payload: Payload) -> None:
    message = _message(payload)
    message.update(content="", reasoning_content=message["content"])


def reasoning_field(_: Call, payload: Payload) -> None:
    message = _message(payload)
    message.update(content="", reasoning=message["content"])


def no_choices(_: Call, payload: Payload) -> None:
    payload["choices"] = []


def empty_choice(_: Call, payload: Payload) -> None:
    payload["choices"] = [{}]


def tool_call(_: Call, payload: Payload) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "rate", "arguments": "{}"}}
    _message(payload).update(content=None, tool_calls=[call])
    payload["choices"][0]["finish_reason"] = "tool_calls"


def parts(_: Call, payload: Payload) -> None:
    message = _message(payload)
    thinking = {"type": "thinking", "thinking": "A first guess."}
    message["content"] = [thinking, {"type": "text", "text": message["content"]}]


def no_usage(_: Call, payload: Payload) -> None:
    payload["usage"] = None


def bare(_: Call, payload: Payload) -> None:
    text = _message(payload)["content"]
    payload.clear()
    payload.update(choices=[{"message": {"content": text}, "finish_reason": None}], usage=None)


def other_model(_: Call, payload: Payload) -> None:
    payload["model"] = "another-model"


def error_mark(_: Call, payload: Payload) -> None:
    _message(payload)["content"] = f"[ERROR] 429: {_message(payload)['content']}"


def nul_and_surrogate(_: Call, payload: Payload) -> None:
    _message(payload)["content"] += "\0\ud800"


def key_in_reply(call: Call, payload: Payload) -> None:
    message = _message(payload)
    message.update(content=f"{message['content']}\n{call.key}", reasoning_content=call.key)
    payload.update(model=call.key, system_fingerprint=call.key)


def short_prompt(tokens: int) -> Fault:
    return bend_by(lambda _, payload: payload.update(usage={"prompt_tokens": tokens}))
