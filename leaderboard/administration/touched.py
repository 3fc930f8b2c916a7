"""Forms of which only what a person changed counts: what others changed since the page was opened stays as it is."""

from typing import Any

from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest

from evaluation.admin_words import PlainAdmin


class TouchedForm(ModelForm):  # type: ignore[type-arg]  # the stubs take one, the class at run time none
    """Each field carries, hidden, the value that the page showed: a field is changed if it differs from that one.

    What comes without these values, as from a script, is compared with what is stored.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.show_hidden_initial = not self.is_bound or self.carries(name)

    def carries(self, name: str) -> bool:
        """Whether what was sent says which value the page had shown."""
        hidden = self.fields[name].hidden_widget()
        return not hidden.value_omitted_from_data(self.data, self.files, self.add_initial_prefix(name))

    def clean(self) -> dict[str, Any]:
        """The values; of a row that stands, those that nobody touched are the stored ones of now."""
        super().clean()
        if self.instance.pk is None:
            return self.cleaned_data
        untouched = columns_of(self.instance) & set(self.cleaned_data) - set(self.changed_data)
        return {**self.cleaned_data, **{name: getattr(self.instance, name) for name in untouched}}


class TouchedAdmin(PlainAdmin):
    """Rows that others, or the site itself, may change while a form is open."""

    form = TouchedForm

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            save_touched(obj, form)
        else:
            super().save_model(request, obj, form, change)


def save_touched(row: Model, form: Any, *besides: str) -> None:
    """Writes what the person changed, and the columns `besides`; nothing where there is neither."""
    row.save(update_fields=columns_of(row) & {*form.changed_data, *besides})


def columns_of(row: Model) -> set[str]:
    return {field.name for field in row._meta.concrete_fields}
