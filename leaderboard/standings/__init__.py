"""Runs and published figures in, `Standing` rows out: the one place where ranking happens.

May import numpy but neither scipy nor pandas: it runs in every worker. The rules, in the order in which they apply:

1. A run may count when it is finished, published, whole (no `limit`) and has a score. The best is never preferred: the
   board shows the mean of all that count.
2. A model has one row a ranking. Measured runs count before imported ones, these before a published figure; the means
   never mix origins. Nor do they mix runs that were asked differently (`evaluation.departures`): those by the standard
   settings count, and where there are none, those that were asked as the newest one; such a row is marked.
3. Measured and imported rows compete for ranks. Published rows do so only where nothing else is ranked. Baselines and
   demo runs stand in the table without a rank.
4. A rank is one more than the number of strictly better scores at full precision, so equal scores share it. The range
   of ranks holds those that are left open when the items are drawn anew, the same for all models; among published
   figures, which have no items, the gap that usually separates two models stands in, and the row is marked as
   approximate.
"""

from evaluation.statistics.intervals import Z95
from leaderboard.standings.ranks import WITH_ANSWERS
from leaderboard.standings.refreshing import refresh_standings, take_turn
from leaderboard.standings.results import ranking_key

__all__ = ["NORMAL_975", "WITH_ANSWERS", "ranking_key", "refresh_standings", "take_turn"]

NORMAL_975 = Z95
"""The 97.5th percentile of the normal distribution: half of a 95 % interval in standard errors."""
