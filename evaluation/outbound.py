"""The guard of outgoing calls as the settings have it."""

from django.conf import settings

from evaluation.endpoints.guard import Policy
from evaluation.endpoints.passage import Guard
from evaluation.endpoints.resolving import Lookup, system_lookup


def policy_from_settings() -> Policy:
    return Policy.of(settings.ENDPOINT_ALLOWED_NETWORKS, settings.ENDPOINT_PORTS, settings.SITE_HOSTS)


def guard_from_settings(lookup: Lookup = system_lookup) -> Guard:
    return Guard(policy_from_settings(), lookup)
