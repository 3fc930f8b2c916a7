"""The 32 emotion labels of EmpatheticDialogues with the valence that the study of empathetic responding gave them.

Pure: may not import Django, HTTP or a clock.

Source: Welivita and Pu 2024, arXiv 2406.05063: 14 labels are positive and 18 negative; "nostalgic" and "sentimental"
count as negative.
"""

from typing import Literal

Valence = Literal["positive", "negative"]

POSITIVE = (
    "anticipating", "caring", "confident", "content", "excited", "faithful", "grateful", "hopeful", "impressed",
    "joyful", "prepared", "proud", "surprised", "trusting",
)  # fmt: skip
NEGATIVE = (
    "afraid", "angry", "annoyed", "anxious", "apprehensive", "ashamed", "devastated", "disappointed", "disgusted",
    "embarrassed", "furious", "guilty", "jealous", "lonely", "nostalgic", "sad", "sentimental", "terrified",
)  # fmt: skip
VALENCE: dict[str, Valence] = {
    **dict.fromkeys(POSITIVE, "positive"),
    **dict.fromkeys(NEGATIVE, "negative"),
}
