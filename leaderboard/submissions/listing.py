"""Which models the public may see: what somebody submitted only becomes one of them once something of it is public."""

from django.db.models import Exists, OuterRef, QuerySet

from evaluation.models import Access, Endpoint, ItemBank, LanguageModel, ReferenceScore, Run
from leaderboard.models import Standing


def listed_models() -> QuerySet[LanguageModel]:
    """The models that the public may see. One that somebody submitted is not among them before a run of it is public
    or a figure of it is known: nobody has looked at its name yet."""
    own = {"model": OuterRef("pk")}
    submitted = Exists(Endpoint.objects.filter(**own)) | Exists(Run.objects.filter(**own))
    listed = Exists(Run.objects.listed().filter(**own)) | Exists(ReferenceScore.objects.filter(**own))
    private = ItemBank.objects.filter(access=Access.PRIVATE).values("slug")
    rows = Standing.objects.filter(ranking__in=private, **own)  # all that is public of a model on such a bank alone
    public = listed | Exists(rows)
    # In this order: nearly every model is public, and then PostgreSQL looks no further.
    return LanguageModel.objects.filter(public | ~submitted)
