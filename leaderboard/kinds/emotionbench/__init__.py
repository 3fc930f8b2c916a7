"""EmotionBench on the site: how far a model's mood moves when it imagines a situation, beside people's."""

from datetime import date

from leaderboard.kinds.base import ItemParts, Kind, KindPart, ScorerChange, later

PARTS = "leaderboard.kinds.emotionbench.parts"

CHANGES = (
    ScorerChange(
        "emotionbench/3",
        date(2026, 11, 30),
        "A line that explains the scale is passed over. A JSON list may name each line by its question.",
    ),
    ScorerChange(
        "emotionbench/2",
        date(2026, 11, 30),
        "JSON that holds both the number and the word of each line is parsed, by the word.",
    ),
    ScorerChange(
        "emotionbench/1",
        date(2026, 11, 28),
        "First version. All twenty answers or none, by the number or the word shown; alignment is the mean of level, "
        "change and pattern.",
    ),
)

EMOTION_BENCH = Kind(
    family="emotionbench",
    title="EmotionBench",
    items="situations and one request without any",
    lede="A model fills in a mood questionnaire, imagines an upsetting situation, and fills it in again. Alignment is "
    "how close its moods are to those of people who did the same.",
    references=(),
    # The values of an item are two moods, neither good nor bad: no item is hard, and none tells models apart.
    sections=frozenset({"correlation"}),
    item_parts=ItemParts(
        low=1.0,
        high=5.0,
        digits=0,
        label="word",
        words="Each word of the questionnaire is rated from 1 to 5; the words are not shown.",
    ),
    methodology=(KindPart("kinds/emotionbench/methodology.html", later(PARTS, "methodology")),),
    ranking_part=KindPart("kinds/emotionbench/ranking.html", later(PARTS, "ranking_part")),
    ranking_below=KindPart("kinds/emotionbench/ranking_below.html", later(PARTS, "ranking_below")),
    model_part=KindPart("kinds/emotionbench/model.html", later(PARTS, "model_part")),
    run_part=KindPart("kinds/emotionbench/model.html", later(PARTS, "run_part")),
    lines=later(PARTS, "people_lines"),
    has_item_pages=False,
    why_not_by_item="A single situation of EmotionBench has a mood, which is neither good nor bad, so models are not "
    "compared item by item.",
    comparison=("emotion-compare", "Compare them by factor"),
    changes=CHANGES,
)
