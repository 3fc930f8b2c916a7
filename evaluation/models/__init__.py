"""What the engine stores: models, endpoints, banks, runs, results. Status changes are conditional updates.
The database is the truth and holds the invariants as constraints; the broker only rings.
"""

from evaluation.models.banks import Item, ItemBank
from evaluation.models.endpoints import Endpoint, Judge, KeyEvent
from evaluation.models.heartbeats import Pulse
from evaluation.models.language_models import FormerName, LanguageModel, PublishedName
from evaluation.models.reference_scores import ReferenceScore
from evaluation.models.results import ItemResult, Reply
from evaluation.models.runs import Run
from evaluation.states import OPEN_STATUSES, Access, Driver, FaultKind, ItemState, Origin, Status

__all__ = [
    "OPEN_STATUSES",
    "Access",
    "Driver",
    "Endpoint",
    "FaultKind",
    "FormerName",
    "Item",
    "ItemBank",
    "ItemResult",
    "ItemState",
    "Judge",
    "KeyEvent",
    "LanguageModel",
    "Origin",
    "PublishedName",
    "Pulse",
    "ReferenceScore",
    "Reply",
    "Run",
    "Status",
]
