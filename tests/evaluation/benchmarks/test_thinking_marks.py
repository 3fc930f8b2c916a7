"""Thinking in every dress: the answer behind it is read, a draft within it never, and a mere mention costs nothing."""

import pytest

from evaluation.benchmarks.base import Reply
from evaluation.benchmarks.thinking import take_off_thinking
from evaluation.benchmarks.thinking_vendors import VENDORS
from tests.evaluation.benchmarks.standard import DRAFT, OK, first, four, points, read, strict_points

BOLD = four("**{name}**: {value}")
PAIRS = {
    "think": ("<think>", "</think>"),
    "upper case": ("<THINK>", "</THINK>"),
    "attributes": ('<think duration="3">', "</think>"),
    "more attributes": ("<thinking time=3s budget='9'>", "</thinking>"),
    "space in the tag": ("< think >", "< / think >"),
    "Mistral": ("[THINK]", "[/THINK]"),
    "lower case in square brackets": ("[think]", "[/think]"),
    "Kimi": ("◁think▷", "◁/think▷"),
    "Seed": ("<seed:think>", "</seed:think>"),
    "another name space": ("<acme:deep_thinking>", "</acme:deep_thinking>"),
    "LongCat": ("<longcat_think>", "</longcat_think>"),
    "thought": ("<thought>", "</thought>"),
    "Thoughts": ("<Thoughts>", "</Thoughts>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "reflection": ("<reflection>", "</reflection>"),
    "analysis": ("<analysis>", "</analysis>"),
    "scratchpad": ("<scratchpad>", "</scratchpad>"),
    "scratch_pad": ("<scratch_pad>", "</scratch_pad>"),
    "SCRATCHPAD": ("<SCRATCHPAD>", "</SCRATCHPAD>"),
    "monologue": ("<inner_monologue>", "</inner_monologue>"),
    "chain of thought": ("<chain-of-thought>", "</chain-of-thought>"),
    "cot": ("<cot>", "</cot>"),
    "camel case": ("<antThinking>", "</antThinking>"),
    "Cohere": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "Cohere with its answer": ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    "Sky-T1": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "Sky-T1 with its answer": ("<|begin_of_thought|>", "<|end_of_thought|>\n<|begin_of_solution|>"),
    "full-width bars": ("<｜begin▁of▁thinking｜>", "<｜end▁of▁thinking｜>"),
    "full-width angles": ("＜think＞", "＜/think＞"),
    "bars": ("<|think|>", "<|/think|>"),
    "slash before the bar": ("<|reasoning|>", "</|reasoning|>"),
    "suffixes": ("<|thinking_start|>", "<|thinking_end|>"),
    "Solar": ("<|think|>", "<|end|><|begin|>assistant<|content|>"),
    "Harmony": ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "Harmony as llama.cpp sends it": ("<|channel|>analysis<|message|>", "<|end|>"),
    "Harmony with JSON": ("<|channel|>analysis<|message|>", "<|end|><|channel|>final <|constrain|>json<|message|>"),
    "Harmony without an end": ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    "Harmony commentary": ("<|channel|>commentary<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "Harmony with a tool": (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.look<|message|>",
        "<|call|><|start|>assistant<|channel|>final<|message|>",
    ),
    "Harmony with full-width bars": ("<｜channel｜>analysis<｜message｜>", "<｜end｜><｜channel｜>final<｜message｜>"),
    "Gemma": ("<|channel>thought\n", "<channel|>"),
    "MedGemma": ("<unused94>thought\n", "<unused95>"),
    "Pangu": ("[unused16]", "[unused17]"),
    "bare": ("analysisWe need to rate. ", "assistantfinal"),
    "bare with a space": ("analysis We need to rate. ", "assistantfinal"),
    "bare on lines": ("analysis\nWe need to rate.\n", "assistant\nfinal\n"),
    "bare with commentary": ("analysisHm.assistantcommentaryI rate now. ", "assistantfinal"),
    "Granite": ("Here is my thought process:\n", "\nHere is my response:\n"),
    "Granite's other words": ("Here's my thought process:\n", "\nHere's my response:\n"),
    "Apriel": ("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n"),
    "HuatuoGPT": ("## Thinking\n\n", "\n\n## Final Response\n\n"),
    "Open WebUI": ('<details type="reasoning" done="true"><summary>Thought for 3 seconds</summary>\n', "</details>"),
    "ChatML": ("<|im_start|>thinking\n", "<|im_end|>\n<|im_start|>assistant\n"),
    "Llama's heads": (
        "<|start_header_id|>reasoning<|end_header_id|>\n",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n",
    ),
    "ideographs": ("【思考】", "【/思考】"),
    "escaped": (r"\<think\>", r"\</think\>"),
    "escaped slash": ("<think>", r"<\/think>"),
    "fence": ("```thinking\n", "\n```"),
    "HTML escapes": ("&lt;think&gt;", "&lt;/think&gt;"),
    "weak words": ("<plan>", "</plan>"),
    "another closing tag": ("<think>", "</reasoning>"),
    "nested alike": ("<think>a<think>b</think>", "</think>"),
    "nested unlike": ("<think>a<reflection>b</reflection>", "</think>"),
    "twice": (f"<think>{DRAFT}</think><think>", "</think>"),
    "two kinds one after the other": (f"<reasoning>{DRAFT}</reasoning>\n<reflection>", "</reflection>"),
    "the opening told of within": ("<think>I opened <think> and go on. ", "</think>"),
    "closed twice": ("<think>", "</think>\n\n</think>"),
    "German": ("<gedanken>", "</gedanken>"),
    "Seed's budget": ("<seed:think><seed:cot_budget_reflect>I used 131.</seed:cot_budget_reflect>", "</seed:think>"),
    "one word": ("<deepthink>", "</deepthink>"),
    "possessive": ("<my_thoughts>", "</my_thoughts>"),
    "working": ("<working>", "</working>"),
    "bare with its role": ("assistantanalysisWe need to rate. ", "assistantfinal"),
    "bare and glued": ("analysisthe user wants four. ", "assistantfinal"),
    "a container": (":::thinking\n", "\n:::"),
    "a fence of tildes": ("~~~thinking\n", "\n~~~"),
    "a folded section": ("<details>\n<summary>Thinking Process</summary>\n", "</details>"),
    "an open folded section": ("<details open><summary><b>💭 Thought for 12 seconds</b></summary>\n", "</details>"),
    "llama-cli": ("[Start thinking]\n", "\n[End thinking]"),
    "ollama run": ("Thinking...\n", "\n...done thinking."),
    "braces": ("{think}", "{/think}"),
    "two braces": ("{{thinking}}", "{{/thinking}}"),
    "corner brackets": ("「思考」", "「/思考」"),
    "escapes by number": ("&#60;think&#62;", "&#60;/think&#62;"),
    "escapes of JSON": (r"\u003cthink\u003e", r"\u003c/think\u003e"),
    "code marks": ("`<think>`\n", "\n`</think>`\n"),
    "French": ("<réflexion>", "</réflexion>"),
    "Spanish": ("<razonamiento>", "</razonamiento>"),
    "Russian": ("<мысли>", "</мысли>"),
    "Korean": ("<생각>", "</생각>"),
    "brainstorming": ("<brainstorming>", "</brainstorming>"),
}
# What may be swallowed by a chat template or dropped as a special token.
CLOSINGS = {name: closing for name, (_, closing) in PAIRS.items() if "nested" not in name} | {
    "Harmony's first token": f"analysis<|message|>{PAIRS['Harmony'][1]}",
}
NEED_THEIR_OPENING = {
    *("ChatML", "Llama's heads", "Granite", "Granite's other words", "HuatuoGPT", "fence", "Open WebUI"),
    *("bare on lines", "Harmony as llama.cpp sends it", "a container", "a fence of tildes", "a folded section"),
    "an open folded section",
}  # fmt: skip


@pytest.mark.parametrize("end", [f"\n{OK}", f"\n\n{BOLD}"], ids=["plain", "bold"])
@pytest.mark.parametrize(("opening", "closing"), PAIRS.values(), ids=PAIRS)
def test_s2_3_closed_thinking_is_taken_off_and_the_answer_behind_it_read(opening: str, closing: str, end: str) -> None:
    answer = first(f"{opening}{DRAFT}{closing}{end}")
    assert (answer.values, "thinking" in answer.flags) == ((3.0, 6.0, 0.0, 8.0), True)
    assert answer.reading == ("official" if end.endswith(OK) else "tolerant")


@pytest.mark.parametrize("reason", ["length", "content_filter"])
@pytest.mark.parametrize("opening", dict.fromkeys(opening for opening, _ in PAIRS.values()))
def test_r02_r03_thinking_that_was_cut_is_no_answer(opening: str, reason: str) -> None:
    answer = first(Reply(f"{opening}Maybe\n{DRAFT}\nBut wait, he", finish_reason=reason))
    assert (answer.values, answer.reason) == (None, "cut off in thinking")


@pytest.mark.parametrize(("opening", "closing"), PAIRS.values(), ids=PAIRS)
def test_closed_thinking_with_nothing_behind_it_is_no_answer(opening: str, closing: str) -> None:
    answer = first(f"{opening}{DRAFT}{closing}\n")
    assert (answer.values, answer.reason) == (None, "no answer after thinking")


@pytest.mark.parametrize("name", [name for name in CLOSINGS if name not in NEED_THEIR_OPENING])
def test_a_swallowed_opening_mark_makes_all_before_the_closing_one_thinking(name: str) -> None:
    assert points(f"So:\n{DRAFT}{CLOSINGS[name]}\n{BOLD}") == 10.0


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.models)
def test_each_row_of_the_table_is_understood(vendor: object) -> None:
    opening, closing, answer = vendor.opening, vendor.closing, vendor.answer  # type: ignore[attr-defined]
    assert vendor.models and vendor.source  # type: ignore[attr-defined]  # noqa: PT018
    begin = f"{opening} " if opening == "analysis" else opening
    assert points(f"{begin}\n{DRAFT}\n{closing}{answer}\n{BOLD}") == 10.0
    cut = first(Reply(f"{begin}\n{DRAFT}\nand", finish_reason="length"))
    assert (cut.values, cut.reason) == (None, "cut off in thinking")


NO_THINKING = {
    "the word": f"Thinking about it, she is upset.\n{OK}",
    "a heading": f"Analysis:\n{OK}",
    "a bold heading": f"**Thinking:** she is upset.\n{OK}",
    "a heading with its text": f"Reasoning: he lost his job.\n\n{OK}",
    "a heading in square brackets": f"[Analysis]\nHe lost his job.\n[Scores]\n{OK}",
    "a heading in capitals": f"[REASONING]\nHe lost his job.\n{OK}",
    "a stage direction": f"[thinking] Well.\n{OK}",
    "a word of the text": f"analysis of the dialogue follows.\n{OK}",
    "a plain lower-case heading": f"analysis\n{OK}",
    "a tag in code marks": f"I do not use `<think>` here.\n{OK}",
    "a tag in quotes": f'The tag "<think>" is off.\n{OK}',
    "a placeholder": f"{OK}\n<your reasoning here>",
    "a reason as a placeholder": f"{OK} <reason>",
    "other tags": f"<answer>{OK}</answer>",
    "a stop token": f"{OK}<|end|>",
    "another stop token": f"{OK}<|im_end|>",
    "the end of a turn": f"{OK}<|return|>",
    "comparison": f"3 < 6 and [8] > 0\n{OK}",
    "prose in angle brackets": f"<thinking about it> Well.\n{OK}",
    "a thinker": f"<thinker> is no tag of ours, </thin> neither.\n{OK}",
    "a fence": f"```\n{OK}\n```",
    "an unmarked Granite answer": f"Here is my response:\n{OK}",
    "details": f"<details><summary>Scores</summary>\n{OK}\n</details>",
    "details of the answer": f"<details><summary>Reasoning and scores</summary>\n{OK}\n</details>",
    "a word of a terminal": f"Thinking...\n{OK}",
    "an empty container": f":::\n{OK}\n:::",
}


@pytest.mark.parametrize("reply", NO_THINKING.values(), ids=NO_THINKING)
def test_a_reply_that_only_speaks_of_thinking_keeps_its_answer(reply: str) -> None:
    assert (points(reply), strict_points(reply), first(reply).flags) == (10.0, 10.0, ())


def test_a_true_answer_between_and_after_blocks_is_kept() -> None:
    ones = four("{name}: 1")
    assert points(f"<reasoning>{DRAFT}</reasoning>\n{OK}\n<reflection>{ones}</reflection>") == 10.0
    assert points(f"<think>{DRAFT}</think>\n{OK}\n</think>") == 10.0


def test_a_reply_cut_within_an_outer_block_is_not_its_inner_rest() -> None:
    cut = Reply(f"<think>a<think>b</think>{DRAFT}", finish_reason="length")
    assert first(cut).reason == "cut off in thinking"


def test_what_was_taken_off_is_kept_apart_without_its_marks() -> None:
    assert read(f"[THINK]{DRAFT}[/THINK]{OK}").thinking == DRAFT
    assert read(f"<|channel|>analysis<|message|>{DRAFT}<|end|>{OK}").thinking == DRAFT


def test_more_marks_than_any_model_writes_are_no_answer() -> None:
    assert take_off_thinking("<think></think>" * 20_000).unclosed
    assert take_off_thinking("<score>" * 20_000).thinking is None


JSON_ANSWER = '{"Angry": 3, "Hopeful": 6, "Relieved": 0, "Ashamed": 8}'
SAID = "So Angry: 9, Hopeful: 1, Relieved: 9, Ashamed: 2."
STRINGS = {
    "reasoning": f'{{"reasoning": "{SAID}", "scores": {JSON_ANSWER}}}',
    "thinking on lines": f'{{\n  "thinking": "{SAID}",\n  "answer": {JSON_ANSWER}\n}}',
    "analysis in a fence": f'```json\n{{"emotional_analysis": "{SAID}", {JSON_ANSWER[1:]}\n```',
    "chain of thought with quotes": f'{{"chainOfThought": "He said \\"no\\". {SAID}", "final": {JSON_ANSWER}}}',
    "critique": f'{{"critique":"{SAID}","revised":{JSON_ANSWER}}}',
    "justification": f'{{"scores": {JSON_ANSWER}, "justification": "{SAID}"}}',
    "a bold answer behind": f'{{"reasoning": "{SAID}"}}\n{BOLD}',
}


@pytest.mark.parametrize("reply", STRINGS.values(), ids=STRINGS)
def test_ratings_in_a_json_string_of_thinking_are_none(reply: str) -> None:
    answer = first(reply)
    assert (answer.values, answer.reading, answer.flags[0]) == ((3.0, 6.0, 0.0, 8.0), "tolerant", "thinking")


def test_a_json_string_of_thinking_alone_is_no_answer() -> None:
    assert first(f'{{"reasoning": "{SAID}"}}').values is None
    cut = first(Reply(f'{{"reasoning": "{SAID} But wait', finish_reason="length"))
    assert (cut.values, cut.reason) == (None, "cut off in thinking")


def test_a_json_string_of_the_answer_is_no_thinking() -> None:
    assert strict_points(f'{{"answer": "{OK.replace(chr(10), ", ")}"}}') == 10.0
    assert first(f'{{"reasoning": "At 9: 30 he left.", {JSON_ANSWER[1:]}').flags == ()


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.split("\n"))


HEADS = (
    *(
        "💭 Let me think",
        "**Thinking**",
        "Thought for 3 seconds",
        "[!NOTE] Thinking",
        "[!thinking]",
        "🧠 **Reasoning:**",
    ),
    *("_Thinking…_", "Chain of thought", "思考过程"),
)


@pytest.mark.parametrize("head", HEADS)
def test_a_quotation_under_a_heading_of_thinking_is_thinking(head: str) -> None:
    block = quoted(f"{head}\n{DRAFT}")
    assert strict_points(f"{block}\n{OK}") == strict_points(f"{OK}\n\n{block}") == 10.0
    assert points(f"{block}\n{BOLD}") == 10.0
    assert first(block).reason == "no answer after thinking"
    for cut in (block, block.rstrip(), f"{block}> But wait"):
        assert first(Reply(cut, finish_reason="length")).reason == "cut off in thinking"


@pytest.mark.parametrize("head", ["Final scores", "Reasoning: he lost his job", "Angry or not?", "3 of 4 think so"])
def test_a_quotation_under_another_heading_is_the_answer(head: str) -> None:
    assert strict_points(quoted(f"{head}\n{OK}")) == 10.0


@pytest.mark.parametrize(
    ("heading", "answer"),
    [
        ("**Thinking Process:**", "**Final Answer:**"),
        ("Thinking:", "Answer:"),
        ("## My thoughts", "## Final scores"),
        ("=== THINKING ===", "=== RESPONSE ==="),
    ],
)
def test_a_heading_of_thinking_begins_it_where_one_of_the_answer_follows_or_the_reply_is_cut(
    heading: str, answer: str
) -> None:
    assert points(f"{heading}\n{DRAFT}\n\n{answer}\n{BOLD}") == 10.0
    assert strict_points(f"{heading}\nHe is sad.\n\nScores:\n{OK}") == 10.0
    cut = first(Reply(f"{heading}\n{DRAFT}\nBut wait", finish_reason="length"))
    assert (cut.values, cut.reason) == (None, "cut off in thinking")
