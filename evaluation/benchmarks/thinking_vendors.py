"""How vendors mark the thinking of their models: one row each, with its source. Data; a test reads each row's marks by
`thinking_marks.py`. A new vendor is a new row, and most need no code.
"""

from typing import NamedTuple


class Vendor(NamedTuple):
    """How a vendor's models open and close their thinking; `answer` begins the answer, where it has a mark."""

    opening: str
    closing: str
    models: str
    source: str
    answer: str = ""


_VLLM = "vllm-project/vllm, vllm/reasoning/"
_LLAMA = "ggml-org/llama.cpp, models/templates and common/chat.cpp"
VENDORS = (
    Vendor("<think>", "</think>", "DeepSeek R1, Qwen3, GLM, SmolLM3", _VLLM + "deepseek_r1_reasoning_parser.py"),
    Vendor("<thinking>", "</thinking>", "Claude when prompted, Amazon Nova", "Anthropic's guide to prompting"),
    Vendor("<antThinking>", "</antThinking>", "Claude artifacts", "Anthropic's published system prompts"),
    Vendor("[THINK]", "[/THINK]", "Mistral Magistral, Ministral", _VLLM + "mistral_reasoning_parser.py"),
    Vendor("◁think▷", "◁/think▷", "Moonshot Kimi", "sgl-project/sglang, docs/advanced_features/separate_reasoning.md"),
    Vendor("<seed:think>", "</seed:think>", "ByteDance Seed-OSS", _VLLM + "seedoss_reasoning_parser.py"),
    Vendor("<longcat_think>", "</longcat_think>", "Meituan LongCat", _VLLM + "longcat_reasoning_parser.py"),
    Vendor("<thought>", "</thought>", "LG EXAONE Deep, Marco-o1", "the models' cards on Hugging Face"),
    Vendor("<reasoning>", "</reasoning>", "Reka Flash, many GRPO recipes", "the models' cards on Hugging Face"),
    Vendor("<reflection>", "</reflection>", "Reflection 70B", "the model's card on Hugging Face"),
    Vendor("<analysis>", "</analysis>", "Claude when prompted", "Anthropic's guide to prompting"),
    Vendor("<scratchpad>", "</scratchpad>", "Claude when prompted, Hermes 3", "Anthropic's guide to prompting"),
    Vendor(
        "<|channel|>analysis<|message|>", "<|end|>", "OpenAI gpt-oss (Harmony)", "openai/harmony, docs/format.md",
        answer="<|channel|>final<|message|>",
    ),
    Vendor(
        "analysis", "", "gpt-oss where the server drops special tokens", "openai/harmony, docs/format.md",
        answer="assistantfinal",
    ),
    Vendor("<|im_start|>thinking\n", "<|im_end|>", "fine-tunes with ChatML", "their chat templates"),
    Vendor("<|channel>thought\n", "<channel|>", "Google Gemma 4", _LLAMA),
    Vendor("<unused94>thought\n", "<unused95>", "Google MedGemma 1.5", "the model's card on Hugging Face"),
    Vendor("[unused16]", "[unused17]", "Huawei Pangu", _VLLM + "pangu_reasoning_parser.py"),
    Vendor(
        "<|START_THINKING|>", "<|END_THINKING|>", "Cohere Command A Reasoning", "Cohere's guide to its chat format",
        answer="<|START_RESPONSE|>",
    ),
    Vendor(
        "<|begin_of_thought|>", "<|end_of_thought|>", "Sky-T1, OpenThinker", "NovaSky-AI/SkyThought",
        answer="<|begin_of_solution|>",
    ),
    Vendor("<|think|>", "<|end|>", "Upstage Solar Open", "the model's chat template", answer="<|content|>"),
    Vendor(
        "Here is my thought process:", "", "IBM Granite 3.2", _VLLM + "granite_reasoning_parser.py",
        answer="Here is my response:",
    ),
    Vendor(
        "Here are my reasoning steps:", "", "ServiceNow Apriel", _LLAMA,
        answer="[BEGIN FINAL RESPONSE]",
    ),
    Vendor(
        "## Thinking", "", "HuatuoGPT-o1", "FreedomIntelligence/HuatuoGPT-o1",
        answer="## Final Response",
    ),
    Vendor('<details type="reasoning">', "</details>", "Open WebUI", "open-webui/open-webui, backend middleware"),
    Vendor("```thinking\n", "```", "models prompted with Thinking-Claude", "richards199999/Thinking-Claude"),
    Vendor(":::thinking\n", ":::", "front ends that write containers of Markdown", "their exports"),
    Vendor("[Start thinking]", "[End thinking]", "llama-cli of llama.cpp", "ggml-org/llama.cpp, tools/cli"),
    Vendor(
        "Thinking...\n", "", "what ollama run prints", "ollama/ollama, cmd/cmd.go",
        answer="...done thinking.",
    ),
    Vendor('{"reasoning": "', '"}', "any model that answers in JSON", "OpenAI's guide to structured outputs"),
    Vendor(
        "<details>\n<summary>Thinking Process</summary>\n", "</details>", "front ends that fold thinking",
        "their exports",
    ),
)  # fmt: skip
