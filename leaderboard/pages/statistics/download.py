"""A ranking's Parquet file, as the statistics task stored it. Nothing of a private bank."""

from evaluation.models import Access, ItemBank
from leaderboard.models import StatisticsFile
from leaderboard.statistics.marks import BankFacts, bank_of


def stored_file(ranking: str, name: str) -> StatisticsFile | None:
    """The file without its content, which is read when it is first asked for. Two queries.

    A bank may have become private since the file was made, and the next refresh deletes it: until then it is not shown.
    """
    found = StatisticsFile.objects.filter(ranking=ranking, name=name).defer("content").first()
    if found is None:
        return None
    private = [
        BankFacts(*row) for row in ItemBank.objects.filter(access=Access.PRIVATE).values_list(*BankFacts._fields)
    ]
    return None if bank_of(ranking, private) else found
