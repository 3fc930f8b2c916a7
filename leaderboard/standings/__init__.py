"""Runs and published figures in, `Standing` rows out: the one place where ranking happens.

May import numpy but neither scipy nor pandas: it runs in every worker. The rules, in the order in which they apply:

1. A run may count when it is finished, published, whole (no `limit`) and has a score. The best is never preferred: the
   board shows the mean of all that count.
2. A model has one row a ranking, its best evidence (`rows.EVIDENCE`): measured runs by the standard settings, else
   imported runs by them, else a published figure, else measured, else imported runs by other settings. The mean never
   mixes origins. Nor does it mix runs that were asked differently (`evaluation.runs.departures`): of those by other
   settings the ones count that were asked as the newest; such a row is marked.
3. Measured, imported and published rows compete for ranks in one order. Baselines and demo runs stand in the table
   without a rank.
4. A rank is one more than the number of strictly better scores at full precision, so equal scores share it. Ranges and
   ties come from one table, "i is ahead of j" (`evaluation.statistics.one_order`), stored as `AheadTable`. A published
   row has no answers: the usual error of such a score stands in, and the row is marked as approximate.
"""

from leaderboard.standings.keys import ranking_key
from leaderboard.standings.ranks import WITH_ANSWERS
from leaderboard.standings.refreshing import refresh_standings, take_turn

__all__ = ["WITH_ANSWERS", "ranking_key", "refresh_standings", "take_turn"]
