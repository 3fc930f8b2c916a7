"""A reader of OpenAPI 3.1 schemas: what in an answer is not as its schema says. Only what our schema uses."""

from collections.abc import Iterator, Mapping
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def faults(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any], at: str = "") -> Iterator[str]:
    """A line for each place where the value departs from the schema, fields beyond it among them."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from faults(value, whole["components"]["schemas"][name], whole, at)
    elif "anyOf" in schema:
        found = [list(faults(value, option, whole, at)) for option in schema["anyOf"]]
        if all(found):
            yield f"{at}: fits none of {len(found)} options: {min(found, key=len)}"
    elif "type" in schema:
        yield from typed(value, schema, whole, at)


def typed(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any], at: str) -> Iterator[str]:
    kind = schema["type"]
    fits = type(value) in TYPES[kind]
    if not fits:
        yield f"{at}: {value!r} is no {kind}"
    elif kind == "array":
        for number, entry in enumerate(value):
            yield from faults(entry, schema["items"], whole, f"{at}[{number}]")
    elif kind == "object" and "properties" in schema:
        yield from fields(value, schema, whole, at)


def fields(value: dict[str, Any], schema: Mapping[str, Any], whole: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema["properties"]
    yield from (f"{at}.{name}: missing" for name in schema.get("required", ()) if name not in value)
    yield from (f"{at}.{name}: not in the schema" for name in value if name not in properties)
    for name, entry in value.items():
        yield from faults(entry, properties.get(name, {}), whole, f"{at}.{name}")
