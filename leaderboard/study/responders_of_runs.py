"""A responder from a run of `empathy-replies`: the replies that a model gave on the queue, as they came."""

from django.db import transaction
from django.db.models import QuerySet

from evaluation.benchmarks.thinking import take_off_thinking
from evaluation.importers.replies import PEOPLE
from evaluation.importers.study_texts import ReplyLine
from evaluation.models import ItemResult, Run, Status
from leaderboard.study.building import NewResponder, Refused, add_responder, lock_study
from leaderboard.study.models import Responder, Study
from leaderboard.study.states import ResponderKind

BENCHMARK = "empathy-replies"
_CUT = frozenset({"length", "max_tokens", "content_filter"})
_REASON_LENGTH = 40


def runs_for(study: Study) -> "QuerySet[Run]":
    """Whole runs over the study's prompts that are not in the study yet."""
    taken = study.responders.exclude(run=None).values("run_id")
    found = Run.objects.filter(
        benchmark=BENCHMARK, bank_id=study.prompt_set.bank_id, status=Status.FINISHED, limit__isnull=True
    )
    return found.exclude(pk__in=taken).select_related("model").order_by("-pk")


@transaction.atomic
def responder_of_run(study: Study, run: Run, label: str, *, is_baseline: bool = False) -> Responder:
    """Registers a run's replies, of a model or of people as the run says. Raises: Refused."""
    lock_study(study)
    if run not in runs_for(study):
        raise Refused("This run cannot be taken: it is no whole, finished run of replies over this study's prompts.")
    if run.replies_erased_at is not None:
        raise Refused("The replies of this run were erased after the time for which they are kept. Run it again.")
    results = {
        result.item.item_id: result
        for result in run.results.filter(repeat=1).select_related("item", "reply").order_by("pk")
    }
    items = list(study.items.select_related("prompt").order_by("batch", "position"))
    missing = [item.prompt.item_id for item in items if item.prompt.item_id not in results]
    if missing:
        raise Refused(f"The run has no reply to {missing[0]}, and {len(missing)} are missing in all. Run it again.")
    replies = {item.pk: _reply(results[item.prompt.item_id]) for item in items}
    kind = ResponderKind.HUMAN if PEOPLE.items() <= run.settings.items() else ResponderKind.MODEL
    new = NewResponder(label, kind, version=f"run {run.pk}", is_baseline=is_baseline)
    responder = add_responder(study, new, replies)
    responder.run, responder.model = run, run.model
    responder.save(update_fields=["run", "model"])
    for response in responder.responses.select_related("item__prompt"):
        response.result = results[response.item.prompt.item_id]
        response.save(update_fields=["result"])
    return responder


def _reply(result: ItemResult) -> ReplyLine:
    """Without what the model thought aloud; a result without a reply is an empty one, which raters see as such."""
    reply = getattr(result, "reply", None)
    if reply is None:
        return ReplyLine(result.item.item_id, "", result.completion_tokens, "")
    found = take_off_thinking(reply.text, cut=reply.finish_reason in _CUT)
    # The endpoint counts what was thought as well: then nobody knows the length of the reply in tokens.
    tokens = None if found.thinking or reply.reasoning else result.completion_tokens
    return ReplyLine(result.item.item_id, found.text.strip(), tokens, reply.finish_reason[:_REASON_LENGTH])
