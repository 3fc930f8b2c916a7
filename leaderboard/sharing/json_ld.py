"""A ranking as a schema.org Dataset, for search engines of data. Pure."""

import json
from collections.abc import Sequence
from datetime import date

from django.utils.safestring import SafeString, mark_safe

ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
FORMATS = (("csv", "text/csv"), ("json", "application/json"), ("parquet", "application/vnd.apache.parquet"))
LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def dataset(
    *,
    title: str,
    description: str,
    address: str,
    files: Sequence[str],
    changed_on: date,
    measured: Sequence[str],
    source: tuple[str, str] | None = None,
) -> SafeString:
    """The content of a script element of type application/ld+json, which no browser runs.

    Args:
        title: Of the ranking.
        description: One sentence.
        address: Absolute, of the ranking's page.
        files: Absolute addresses, in the order of FORMATS.
        changed_on: Day of the newest row.
        measured: Titles of the columns of the ranking's measures.
        source: Of figures that others published: where they are, and how their authors want to be cited. We have no
            licence to give for them.
    """
    found = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": f"{title} ranking, EQ Leaderboard",
        "description": description,
        "url": address,
        **({"isBasedOn": source[0], "creditText": source[1]} if source else {"license": LICENCE}),
        "isAccessibleForFree": True,
        "dateModified": changed_on.isoformat(),
        "creator": {"@type": "Organization", "name": "EQ Leaderboard"},
        "variableMeasured": list(measured),
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": file}
            for file, (_, kind) in zip(files, FORMATS, strict=True)
        ],
    }
    text = json.dumps(found)
    for sign, escaped in ESCAPED.items():
        text = text.replace(sign, escaped)
    return mark_safe(text)  # noqa: S308  (JSON in ASCII, in which the signs of markup are escaped)
