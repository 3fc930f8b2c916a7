"""The sentences that open a published table, computed from its rows. Pure: no query, no request."""

from evaluation.published_tables import PublishedTable
from leaderboard.rounding import counted, figure
from leaderboard.wording import findings


def headline(table: PublishedTable, field: findings.Field) -> str:
    """Who leads and who is tied with it; where no errors are known, who has the most, and what a line gets."""
    if field.n_beside_best is not None or not field.n_ranked:
        return findings.headline(table.title, field)
    measure = table.measures[0]
    best = f"{field.best_name} has the highest {measure.title} of {counted(field.n_ranked, 'model')}"
    return f"{best}, {figure(field.best_score, measure)}{f'; {table.beside}' if table.beside else ''}"


def ranks_note(table: PublishedTable, field: findings.Field) -> str:
    """What headline and ranks rest on."""
    if field.n_beside_best is None:
        return table.note
    return (
        f"{table.note} The headline compares all models at once (5 % level), so it counts more ties. Ranges and shaded "
        "rows compare one pair at a time."
    )
