"""SECEU on the site: how near a model's points for four feelings lie to what 541 people gave on average."""

from datetime import date

from evaluation.benchmarks.seceu.scoring import (
    DIFFERENT_BELOW,
    EQ_MEAN,
    EQ_SD,
    ITEMS,
    PEOPLE_MEAN,
    PEOPLE_SD,
    TOTAL,
    band,
    stars,
)
from evaluation.benchmarks.seceu.summary import PATTERN_R
from leaderboard.kinds.base import ItemParts, ItemScale, Kind, KindPart, ScorerChange, later

PAGES = "leaderboard.kinds.seceu_pages"
WITHHELD = (
    "The stories, the names of the feelings and the points that people gave are not shown: their licence does not "
    "allow it. Shown are only the models’ numbers and people’s mean distance."
)


def pattern_words(r: float, different: str = "different mechanism") -> str:
    """What the paper's table says beside a pattern similarity: its stars, and whether it calls the mechanism another
    one.
    """
    return " ".join(filter(None, (stars(r, ITEMS), different if r < DIFFERENT_BELOW else "")))


def pattern_word(r: float) -> str:
    """The same as short as a column takes it."""
    return pattern_words(r, "different")


SECEU = Kind(
    family="seceu",
    title="SECEU",
    lede="{title} tells {items} and asks how strongly four feelings are felt, in points that add up to 10. An EQ of "
    "100 is the mean of 541 people; one standard deviation is 15.",
    items="short stories (the items)",
    references=(),
    item_parts=ItemParts(
        low=0.0,
        high=TOTAL,
        digits=2,
        words="The four numbers of an answer add up to 10 points; they have the order of the options in the bank.",
        best="0 is no difference to what people gave, and lower is better",
        full="The score of an item is the distance to what 541 people gave on average, in points: 0 is no difference, "
        "and lower is better.",
        text="story",
        closed=WITHHELD,
    ),
    scale=ItemScale(slope=-EQ_SD / PEOPLE_SD, intercept=EQ_MEAN + EQ_SD * PEOPLE_MEAN / PEOPLE_SD),
    zero=EQ_MEAN,
    band=band,
    figure_words={PATTERN_R: pattern_word},
    unread_as="the answer (0, 0, 0, 0)",
    needs="with more than half of the items unread, a run has failed",
    methodology=(KindPart("kinds/seceu/methodology.html", later(PAGES, "methodology")),),
    ranking_part=KindPart("kinds/seceu/ranking.html", later(PAGES, "ranking")),
    ranking_below=KindPart("kinds/seceu/ranking_below.html", later(PAGES, "below")),
    model_part=KindPart("kinds/seceu/model.html", later(PAGES, "model")),
    run_part=KindPart("kinds/seceu/run.html", later(PAGES, "run")),
    item_part=KindPart("kinds/seceu/item.html", later(PAGES, "item")),
    changes=(
        *(
            ScorerChange(
                f"{name}/3",
                date(2026, 11, 30),
                "An answer called final that other points follow is not counted.",
            )
            for name in ("seceu", "seceu-direct", "seceu-shuffled")
        ),
        *(
            ScorerChange(
                f"{name}/2",
                date(2026, 11, 30),
                "Points are not counted if a later number in their line or below it may replace them. Of titled "
                "parts in JSON, the revised one counts.",
            )
            for name in ("seceu", "seceu-direct", "seceu-shuffled")
        ),
        ScorerChange(
            "seceu/1",
            date(2026, 11, 28),
            "First version. The zero-shot prompt of the paper; read as JSON, as lines or as four bare numbers, then "
            "normalised by the paper's three rules.",
        ),
        ScorerChange("seceu-direct/1", date(2026, 11, 28), "First version. As seceu, with the direct prompt."),
        ScorerChange(
            "seceu-shuffled/1",
            date(2026, 11, 28),
            "First version. As seceu, with the four options in an order drawn for each item. The paper has one order.",
        ),
    ),
)
