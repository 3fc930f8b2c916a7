"""What an endpoint says of the end of its reply: complete, cut by the limit, a tool call, nothing, or unfinished.

A `finish_reason` that the table does not know is never taken for an end: whoever sends "abort" or "error" beside half a
reply says that the reply is not what the model would have said.
"""

from collections.abc import Mapping

from evaluation.benchmarks.base import JsonValue

STOP, LENGTH, TOOL_CALLS, NONE = "stop", "length", "tool_calls", ""

# Our word -> what servers write for it, in lower case with underscores. The vendors are those whose documents list it.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    STOP: (
        "stop",  # OpenAI, Gemini (STOP), Ollama
        "eos",  # Together, llama.cpp (stop_type)
        "eos_token",  # Hugging Face TGI, watsonx
        "stop_sequence",  # Anthropic, TGI, Cohere, watsonx
        "word",  # llama.cpp (stop_type): a stop word
        "end_turn",  # Anthropic, Amazon Bedrock
        "complete",  # Cohere
        "completed",  # OpenAI Responses (status)
        "endoftext",  # AI21
        "finish",  # Amazon Titan
        "finished",  # Amazon Titan in streams
    ),
    LENGTH: (
        "length",  # OpenAI, Ollama, Amazon Titan
        "max_tokens",  # Anthropic, Gemini, Cohere, watsonx
        "max_output_tokens",  # OpenAI Responses (incomplete_details)
        "max_new_tokens",  # Hugging Face
        "max_length",  # Fireworks and servers built on transformers
        "token_limit",  # watsonx
        "model_length",  # Mistral: the model's context is full
        "model_context_window_exceeded",  # Anthropic
        "error_limit",  # Cohere: the model's context is full
        "limit",  # llama.cpp (stop_type)
    ),
    TOOL_CALLS: (
        "tool_calls",  # OpenAI
        "tool_call",  # Cohere
        "tool_use",  # Anthropic, Amazon Bedrock
        "function_call",  # OpenAI before tools
    ),
    NONE: (
        "",
        "none",  # Python's None as text
        "null",
        "finish_reason_unspecified",  # Gemini: the value that says nothing
    ),
}
FILTERED = frozenset({
    "content_filter",  # OpenAI, Azure, Mistral
    "content_filtered",  # Amazon Bedrock
    "guardrail_intervened",  # Amazon Bedrock
    "safety", "recitation", "blocklist", "prohibited_content", "spii",  # Gemini
    "error_toxic",  # Cohere
    "refusal",  # Anthropic: its classifiers stopped the reply
    "sensitive",  # Zhipu
})  # fmt: skip
# Gemini's numbers, which gateways pass on as they are; others are no end that we know.
_OF_NUMBER = {0: NONE, 1: STOP, 2: LENGTH}
_WORDS = {written: ours for ours, all_written in SYNONYMS.items() for written in all_written}


def known_end(value: JsonValue) -> str | None:
    """`STOP`, `LENGTH`, `TOOL_CALLS` or `NONE`; None for whatever else is said, which makes the reply unfinished."""
    if value is None or value in (False, {}, []):
        return NONE
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _OF_NUMBER.get(int(value)) if value in _OF_NUMBER else None
    return _WORDS.get(_folded(value)) if isinstance(value, str | Mapping) else None


def is_filter(value: JsonValue) -> bool:
    """Whether an unfinished reply was stopped by a content filter."""
    return _folded(value) in FILTERED


def as_written(value: JsonValue) -> str:
    """The end as the server wrote it, for people."""
    if isinstance(value, Mapping):
        return as_written(value.get("type") or value.get("reason"))
    return value if isinstance(value, str) else str(value)[:40]


def _folded(value: JsonValue) -> str:
    """In lower case with underscores; of `{"type": "stop"}` (SGLang) and `{"reason": …}` (AI21) that word, of Python's
    `FinishReason.STOP` the last part."""
    word = as_written(value).strip().lower().removeprefix("finishreason.")
    return word.replace("-", "_").replace(" ", "_")
