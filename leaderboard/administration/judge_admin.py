"""Judges in the admin: registered with an endpoint of their own and a sealed key, then enabled and disabled."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from evaluation.admin_words import benchmark, benchmark_title, column, yes_no
from evaluation.endpoints.guard import check_text
from evaluation.keys.endpoint_keys import store_key
from evaluation.keys.erasing import erase_key
from evaluation.models import Judge
from evaluation.outbound import policy_from_settings
from evaluation.runs.judging import open_judge_runs, register_judge
from evaluation.tasks import ring
from leaderboard.administration.touched import TouchedAdmin, TouchedForm, save_touched
from leaderboard.administration.waiting import LookAtJudges
from leaderboard.rounding import counted
from leaderboard.submissions.form_fields import AddressInput, KeyField

MOST_CONCURRENCY = 32
KEY_HELP = "Sealed at once and never shown again. It stays until it is erased here."


class RegisterForm(forms.ModelForm):  # type: ignore[type-arg]  # the stubs take one, the class at run time none
    """A new judge. Name and address are not changed later: another address is another judge."""

    base_url = forms.CharField(label="Base address", max_length=2048, widget=AddressInput())
    api_model = forms.CharField(label="Model name in the API", max_length=200)
    key = KeyField(label="Key", required=False, help_text=KEY_HELP)
    concurrency = forms.IntegerField(label="Requests at once", min_value=1, max_value=MOST_CONCURRENCY, initial=4)

    class Meta:
        model = Judge
        fields = ("name", "maker", "max_tokens")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "base_url" in data:
            try:
                found = check_text(data["base_url"], has_key=bool(data.get("key")), policy=policy_from_settings())
            except ValueError as error:
                self.add_error("base_url", str(error))
            else:
                data["base_url"] = found.base_url
        return data


class JudgeForm(TouchedForm):
    """What may change of a judge that is registered."""

    key = KeyField(label="New key", required=False, help_text=f"{KEY_HELP} Leave it empty to keep the one there is.")

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if key:
            try:
                check_text(self.instance.endpoint.base_url, has_key=True, policy=policy_from_settings())
            except ValueError as error:
                raise ValidationError(str(error)) from None
        return key


@admin.register(Judge)
class JudgeAdmin(TouchedAdmin):
    """No judge is deleted: its rankings name it. One that is disabled opens no further runs."""

    list_display = [
        "name", "maker", column("enabled", "opens runs", boolean=True), "has_key", benchmark,
        column("prompt_version", "version of the prompt"), column("created_at", "since"),
    ]  # fmt: skip
    list_filter = [LookAtJudges, ("enabled", yes_no("opens runs", "yes", "no"))]
    list_select_related = ["endpoint"]
    search_fields = ["name", "maker", "endpoint__api_model"]
    show_full_result_count = False
    actions = ["enable", "disable", "open_runs", "erase_keys"]
    readonly_fields = [
        "name", "slug", "base_url", "api_model", "has_key", "what_it_judges", "prompt_version", "created_at",
    ]  # fmt: skip

    def get_form(self, request: HttpRequest, obj: Judge | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = RegisterForm if obj is None else JudgeForm
        return super().get_form(request, obj, change, **{**kwargs, "form": form})

    def get_fields(self, request: HttpRequest, obj: Judge | None = None) -> Any:
        if obj is None:
            return ["name", "maker", "base_url", "api_model", "key", "max_tokens", "concurrency"]
        return ["enabled", "maker", "key", "max_tokens", *self.readonly_fields]

    def get_readonly_fields(self, request: HttpRequest, obj: Judge | None = None) -> Any:
        return [] if obj is None else self.readonly_fields

    def has_delete_permission(self, request: HttpRequest, obj: Judge | None = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Not by the sealed key of the endpoint, which a filter would give away letter by letter."""
        return "sealed_key" not in lookup and super().lookup_allowed(lookup, value, request)

    @method_decorator(sensitive_post_parameters("key"))
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """No report of an error holds the key."""
        return super().changeform_view(request, *args, **kwargs)

    @sensitive_variables()
    def save_model(self, request: HttpRequest, obj: Judge, form: Any, change: bool) -> None:
        data = form.cleaned_data
        if change:
            save_touched(obj, form)
            if data["key"]:
                store_key(obj.endpoint, data["key"])
            return
        judge = register_judge(
            name=data["name"],
            maker=data["maker"],
            base_url=data["base_url"],
            api_model=data["api_model"],
            key=data["key"],
            max_tokens=data["max_tokens"],
            concurrency=data["concurrency"],
        )
        obj.pk = judge.pk
        obj.refresh_from_db()

    @admin.display(description="benchmark")
    def what_it_judges(self, judge: Judge) -> str:
        return benchmark_title(judge.benchmark)

    @admin.display(boolean=True, description="has a key")
    def has_key(self, judge: Judge) -> bool:
        return bool(judge.endpoint.sealed_key)

    @admin.display(description="base address")
    def base_url(self, judge: Judge) -> str:
        return judge.endpoint.base_url

    @admin.display(description="model name in the API")
    def api_model(self, judge: Judge) -> str:
        return judge.endpoint.api_model

    @admin.action(description="Enable", permissions=["change"])
    def enable(self, request: HttpRequest, judges: QuerySet[Judge]) -> None:
        n = judges.filter(enabled=False).update(enabled=True)
        self.message_user(request, f"{counted(n, 'judge')} enabled. The runs that are missing open within ten minutes.")

    @admin.action(description="Disable", permissions=["change"])
    def disable(self, request: HttpRequest, judges: QuerySet[Judge]) -> None:
        n = judges.filter(enabled=True).update(enabled=False)
        self.message_user(request, f"{counted(n, 'judge')} disabled. Runs that are open go on.")

    @admin.action(description="Open the runs that are missing, cancelled ones too", permissions=["change"])
    def open_runs(self, request: HttpRequest, judges: QuerySet[Judge]) -> None:
        opened = [run for judge in judges for run in open_judge_runs(judge=judge, cancelled_too=True)]
        for run in opened:
            ring(run)
        self.message_user(request, f"{counted(len(opened), 'run')} opened.")

    @admin.action(description="Erase the key", permissions=["change"])
    def erase_keys(self, request: HttpRequest, judges: QuerySet[Judge]) -> None:
        n = sum(erase_key(judge.endpoint_id, "erased by an administrator") for judge in judges)
        self.message_user(request, f"{counted(n, 'key')} erased. Runs of these judges wait until another is given.")
