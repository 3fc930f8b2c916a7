"""Members of the staff, with all rights or with the right to look."""

from django.contrib.auth.models import Permission, User
from django.test import Client


def root(**client: bool) -> Client:
    """Logged in with every right."""
    user, _ = User.objects.get_or_create(username="root", defaults={"is_staff": True, "is_superuser": True})
    return logged_in(user, **client)


def looker(**client: bool) -> Client:
    """Logged in with the right to view everything and to change nothing."""
    user, _ = User.objects.get_or_create(username="looker", defaults={"is_staff": True})
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return logged_in(user, **client)


def nobody_of_note() -> Client:
    """Logged in as staff without any right."""
    user, _ = User.objects.get_or_create(username="clerk", defaults={"is_staff": True})
    return logged_in(user)


def logged_in(user: User, **client: bool) -> Client:
    made = Client(**client)  # type: ignore[arg-type]
    made.force_login(user)
    return made
