"""What the name of a model says of it where no table does: its size, and the model that it is a repackaging of. Pure.

A name says a size only where it is plain: "Yi-34B-Chat" and "Mixtral-8x7B" are, "Llama-4-Scout-17B-16E" (experts beside
it), "Qwen3-30B-A3B" (the A of the parts at work) and "Tess-XL-v1.5b" (a version) are read with care or not at all.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from evaluation.importers.configurations import split_name

# Who puts the weights of others into other file formats.
REPACKAGERS = frozenset(
    {"thebloke", "bartowski", "maziyarpanahi", "quantfactory", "mradermacher", "lmstudio-community", "ggml-org"}
)
_BEFORE, _AFTER = r"(?:^|(?<=[-_/ ]))", r"(?=$|[-_ .:])"
_BILLIONS = re.compile(rf"{_BEFORE}(?:(\d{{1,3}})x)?(\d{{1,4}}(?:\.\d{{1,2}})?)b{_AFTER}", re.IGNORECASE)
_MILLIONS = re.compile(rf"{_BEFORE}(\d{{3}})m{_AFTER}", re.IGNORECASE)
_SPLIT_DECIMAL = re.compile(r"\d_\d+b(?![a-z])", re.IGNORECASE)  # 1_6b is 1.6 in one name, and version 1, 6b in another
_EXPERTS = re.compile(rf"{_BEFORE}\d+e{_AFTER}", re.IGNORECASE)
_FORMAT = re.compile(r"-(?:gguf|ggml|gptq|awq|exl2|int[48]|[48]bit|bnb|safetensors?|hf)$", re.IGNORECASE)
_FILES = re.compile(r"-(?:gguf|ggml|gptq|awq|exl2|safetensors?)$", re.IGNORECASE)
_SNAPSHOT = re.compile(r"-\d{4}(?:-\d{2}-\d{2})?$")


@dataclass(frozen=True, slots=True)
class Size:
    """`params` as tables print it ("7", "8x7"); `billion` is None for a mixture, whose parts share parameters."""

    params: str
    billion: float | None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a model; "" and None are not known."""

    name: str
    organisation: str = ""
    params: str = ""
    params_billion: float | None = None
    open_weights: bool | None = None


def size_of(name: str) -> Size | None:
    """The size that a name says, None where it says none or more than one."""
    own = split_name(name)[0].rpartition("/")[2]
    if _EXPERTS.search(own) or _SPLIT_DECIMAL.search(own):
        return None
    found = {(experts or "", number) for experts, number in _BILLIONS.findall(own)}
    found = found or {("", str(int(number) / 1000)) for number in _MILLIONS.findall(own)}
    if len(found) != 1:
        return None
    experts, number = found.pop()
    billion = float(number)
    if billion <= 0:
        return None
    return Size(f"{experts}x{billion:g}", None) if experts else Size(f"{billion:g}", billion)


def is_repackaged(name: str) -> bool:
    """Whether somebody who did not make the model put its weights into another format."""
    return split_name(name)[0].partition("/")[0].casefold() in REPACKAGERS


def base_of(name: str, known: Collection[str]) -> str:
    """The known model that the name is another format of; "" where there is none or more than one.

    The maker may differ only where the name's namespace is a repackager's.
    """
    own = split_name(name)[0]
    wanted = _squeezed(own)
    if not is_repackaged(name) and not _FORMAT.search(own):
        return ""
    found = [
        other
        for other in known
        if other != name
        and _squeezed(other) == wanted
        and (is_repackaged(name) or _namespace(other) == _namespace(own))
    ]
    return found[0] if len(found) == 1 else ""


def completed(models: Iterable[Known]) -> dict[str, Known]:
    """Name -> what is known of it with its gaps filled, of those models of which something was filled.

    Size and weights from the name, then maker, size and weights from the model that it is a format of, and maker and
    weights from its relatives: the same name with another size, or with a date behind it, where all of these agree.
    """
    before = {model.name: model for model in models}
    sizes = _sizes(before.values())
    relatives: defaultdict[str, list[Known]] = defaultdict(list)
    for model in before.values():
        for key in _families(model.name):
            relatives[key].append(model)
    after = {name: _filled(model, before, sizes, relatives) for name, model in before.items()}
    return {name: model for name, model in after.items() if model != before[name]}


def _filled(
    model: Known, known: Mapping[str, Known], sizes: Mapping[str, float], relatives: Mapping[str, list[Known]]
) -> Known:
    base = known.get(base_of(model.name, known))
    kin = [other for key in _families(model.name) for other in relatives[key] if other.name != model.name]
    size = size_of(model.name)
    params = model.params or (base.params if base else "") or (size.params if size else "")
    billion = model.params_billion or (base.params_billion if base else None) or (size.billion if size else None)
    maker, weights = _maker(model), model.open_weights
    for other in filter(None, (base, _agreed(kin))):
        maker = maker or _maker(other)
        weights = other.open_weights if weights is None else weights
    if weights is None and (is_repackaged(model.name) or _FILES.search(split_name(model.name)[0])):
        weights = True  # such files are made of weights that anybody can download
    return Known(model.name, maker, params, billion or sizes.get(params), weights)


def _maker(model: Known) -> str:
    """Its maker, "" where only a repackager is named."""
    is_packager = is_repackaged(model.name) and model.organisation == _namespace(model.name)
    return "" if is_packager else model.organisation


def _agreed(kin: Collection[Known]) -> Known | None:
    """What all relatives agree on; None without any."""
    if not kin:
        return None
    makers = {_maker(other) for other in kin} - {""}
    weights = {other.open_weights for other in kin if other.open_weights is not None}
    first = next(iter(kin))
    maker = makers.pop() if len(makers) == 1 else ""
    return Known(first.name, maker, open_weights=weights.pop() if len(weights) == 1 else None)


def _families(name: str) -> tuple[str, ...]:
    """What the name shares with its relatives: itself without its size, or without a date."""
    own = split_name(name)[0].casefold()
    if "/" in own:
        without = _BILLIONS.sub("#", own)
        return (without,) if "#" in without else ()
    return (_SNAPSHOT.sub("", own),)


def _sizes(models: Iterable[Known]) -> dict[str, float]:
    """Billions of mixtures, by what tables print of them ("8x7"), where all that are known agree."""
    found: defaultdict[str, set[float]] = defaultdict(set)
    for model in models:
        if "x" in model.params and model.params_billion:
            found[model.params].add(model.params_billion)
    return {params: values.pop() for params, values in found.items() if len(values) == 1}


def _namespace(name: str) -> str:
    return name.rpartition("/")[0]


def _squeezed(name: str) -> str:
    own = split_name(name)[0].rpartition("/")[2]
    while _FORMAT.search(own):
        own = _FORMAT.sub("", own)
    return "".join(sign for sign in own.casefold() if sign.isalnum())
