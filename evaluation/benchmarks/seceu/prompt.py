"""What SECEU asks: the operator's template with story and options in it. Pure."""

from collections.abc import Sequence

from evaluation.benchmarks.base import BankError, Item


def filled(item: Item, template: str, order: Sequence[int]) -> str:
    """The prompt of an item with its options in this order, numbered as in the paper: `(1) A; (2) B; (3) C; (4) D`.

    Raises:
        BankError: the bank has no such template.
    """
    prompts = item.extra.get("prompts")
    text = prompts.get(template) if isinstance(prompts, dict) else None
    if not isinstance(text, str):
        raise BankError(f"item {item.id} has no prompt {template}")
    options = "; ".join(f"({place}) {item.labels[label]}" for place, label in enumerate(order, 1))
    # The story last, so that nothing in it is taken for a placeholder.
    return text.replace("{options}", options).replace("{story}", item.prompt)
