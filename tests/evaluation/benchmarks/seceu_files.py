"""A small SECEU bank of our own making, as the files that an operator has: nothing in it is from the authors' texts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

OPTIONS = (("Calm", "Worn out", "Curious", "Torn"), ("Glad", "Uneasy", "Bored", "Bold"))
STANDARDS = ((4.0, 3.0, 2.0, 1.0), (2.51, 2.49, 1.5, 3.51), (1.0, 1.5, 2.5, 5.0), (6.0, 2.0, 1.25, 0.75))
DIRECT = "Tale: {story} Feelings: {options}. Share out ten points"
ZERO_SHOT = "Share out ten points, as JSON.\nQ: {story} Feelings: {options}.\nA:"


def items_file(n_items: int = 4) -> dict[str, Any]:
    return {
        "items": [
            {
                "id": number,
                "story": f"Ann counted {number} birds on the roof and went home. Ann would feel:",
                "options": list(OPTIONS[number % 2]),
                "standard_scores": list(STANDARDS[number % 4]),
                "human_mean_distance": 2.0 + number / 10,
            }
            for number in range(1, n_items + 1)
        ]
    }


def norms_file() -> dict[str, Any]:
    score = {"bin_edges_score": [1.0, 2.0, 4.0, 6.0], "percent_of_humans_worse_at_edge": [100.0, 80.0, 10.0, 0.0]}
    pattern = {"bin_edges_r": [-0.5, 0.0, 0.5, 1.0], "percent_of_humans_below_at_edge": [0.0, 20.0, 90.0, 100.0]}
    return {"histograms": {"score": score, "pattern_r": pattern}}


def prompts_file() -> dict[str, Any]:
    return {"direct": {"template": DIRECT}, "strategies": {"zero_shot": {"template": ZERO_SHOT}}}


def seceu_files(**changed: Any) -> dict[str, bytes]:
    """File name -> content. Args: `items`, `norms` and `prompts` replace what the file holds; None leaves it out."""
    content = {"items": items_file(), "norms": norms_file(), "prompts": prompts_file()} | changed
    names = {"items": "items_en.json", "norms": "norms.json", "prompts": "prompts.json"}
    return {names[key]: json.dumps(value).encode() for key, value in content.items() if value is not None}


def reply_of(labels: Sequence[str], values: Sequence[float]) -> str:
    pairs: Sequence[Mapping[str, Any]] = [
        {"name": name, "score": value} for name, value in zip(labels, values, strict=True)
    ]
    return json.dumps({"Emotion": pairs})
