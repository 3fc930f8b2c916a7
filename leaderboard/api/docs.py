"""The API's own description, made readable: rows for a page, from the OpenAPI schema alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str
    kind: str
    required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One address of the API. `answer` names the shape of what it sends."""

    path: str
    anchor: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of a shape; `shape` names the shape that it holds, "" for plain values."""

    name: str
    kind: str
    note: str
    shape: str


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    description: str
    fields: tuple[FieldRow, ...]


def operations(schema: Schema) -> tuple[Operation, ...]:
    return tuple(operation(path, methods["get"]) for path, methods in schema["paths"].items())


def operation(path: str, found: Schema) -> Operation:
    answer = found["responses"][200]["content"]["application/json"]["schema"]
    return Operation(
        path=path,
        anchor=found["operationId"].rpartition("_api_")[2],
        summary=found["summary"],
        description=found.get("description", ""),
        parameters=tuple(parameter(entry) for entry in found["parameters"]),
        answer=reference(answer),
    )


def parameter(entry: Schema) -> Parameter:
    return Parameter(entry["name"], entry["in"], kind_of(entry["schema"]), entry["required"])


def shapes(schema: Schema) -> tuple[Shape, ...]:
    """What is sent, by name. What is only asked with (the slice of a list) stands among the parameters already."""
    found = schema["components"]["schemas"].items()
    return tuple(shape(name, entry) for name, entry in found if "properties" in entry and is_sent(name))


def is_sent(name: str) -> bool:
    return name.endswith(("Out", "Page", "Detail"))


def shape(name: str, entry: Schema) -> Shape:
    fields = (
        FieldRow(field, kind_of(spec), spec.get("description", ""), reference(spec))
        for field, spec in entry["properties"].items()
    )
    return Shape(name, entry.get("description", ""), tuple(fields))


def kind_of(spec: Schema) -> str:
    """The type of a value in words: "number or null", "list of string", "integer, 1 to 200"."""
    if "anyOf" in spec:
        return " or ".join(kind_of(option) for option in spec["anyOf"])
    if "$ref" in spec:
        return reference(spec)
    if spec.get("type") == "array":
        return f"list of {kind_of(spec['items'])}"
    return f"{spec.get('format') or spec.get('type', 'any JSON')}{bounds(spec)}"


def bounds(spec: Schema) -> str:
    return f", {spec['minimum']} to {spec['maximum']}" if "minimum" in spec and "maximum" in spec else ""


def reference(spec: Schema) -> str:
    """The name of the shape that a value holds, directly or in a list; "" for plain values."""
    inner = spec.get("items", spec)
    name: str = inner.get("$ref", "")
    return name.rpartition("/")[2]
