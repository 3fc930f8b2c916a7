"""A study to try the operators' and the raters' pages with, on a board that has the demonstration's runs.

Its prompts are ours, and its replies were written by rule: those of the models by the personas of the demo endpoint, on
the queue, and those of "Human" by the same rules here. All is set up but the ethics reference, so it is not open.
"""

from django.db import transaction

from evaluation.demo.empathy import said_of_feelings
from evaluation.importers.study_texts import ReplyLine
from evaluation.models import Origin, Run, Status
from leaderboard.study.building import NewResponder, add_responder, new_study, prompt_set_of_bank
from leaderboard.study.models import ConsentForm, Prompt, Study
from leaderboard.study.responders_of_runs import BENCHMARK, responder_of_run
from leaderboard.study.states import Flag, ResponderKind
from leaderboard.study.waves_of_raters import add_group

TITLE = "Short replies, demonstration"
BANK = "empathy"
HUMAN = "noisy"  # the persona whose rules write the replies of "Human"
MODELS = ("demo/careful", "demo/hasty")
ITEMS_PER_RATER = 8


@transaction.atomic
def make_demo_study(run_id: int | None = None) -> bool:
    """Makes the study once the personas have replied to our prompts. Returns whether it did.

    Args:
        run_id: The run that ended, if one did; another one than a demonstration's changes nothing.
    """
    demo = Run.objects.filter(origin=Origin.DEMO, benchmark=BENCHMARK, bank__slug=BANK, limit__isnull=True)
    if run_id is not None and not demo.filter(pk=run_id).exists():
        return False
    runs = {run.model.name: run for run in demo.filter(status=Status.FINISHED).select_related("model", "bank")}
    if not set(MODELS) <= runs.keys() or Study.objects.filter(title=TITLE).exists():
        return False
    study = new_study(TITLE, prompt_set_of_bank(runs[MODELS[0]].bank), items_per_rater=ITEMS_PER_RATER)
    human = NewResponder("Human", ResponderKind.HUMAN, version="written by rule", is_baseline=True)
    responders = [add_responder(study, human, _replies(study))]
    responders += [responder_of_run(study, runs[name], name) for name in MODELS]
    _set_up(study)
    n_batches = study.items.count() // ITEMS_PER_RATER
    for responder in responders:
        add_group(study, responder, 1, n_batches)
    return True


def _replies(study: Study) -> dict[int, ReplyLine]:
    return {item.pk: _reply(item.prompt) for item in study.items.select_related("prompt")}


def _reply(prompt: Prompt) -> ReplyLine:
    asked = f"\nSituation: {prompt.situation}\nMessage: {prompt.utterance}\nReply:"
    said = said_of_feelings(HUMAN, asked, prompt.number)
    return ReplyLine(prompt.item_id, said.text if said else "", None, "")


def _set_up(study: Study) -> None:
    """All settings but the ethics reference, which is the operator's duty."""
    study.baseline_note = "In this demonstration “Human” is written by rule, like all others: the figures say nothing."
    study.help_text = "In a real study: somebody whom a rater can talk to"
    study.help_link = "https://help.example/"
    study.exclusion_rule = [Flag.ATTENTION.value, Flag.FAST.value]
    study.save(update_fields=["baseline_note", "help_text", "help_link", "exclusion_rule"])
    ConsentForm.objects.create(
        study=study,
        version=1,
        purpose="This is a demonstration. It shows what a rater sees, and its answers are used for nothing.",
        minutes=5,
        pay="Nobody is paid in a demonstration.",
        organisation="This board’s demonstration",
        contact="operator@board.example",
        kept_months=1,
    )
