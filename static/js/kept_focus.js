// The rows that a link brings replace the link itself, and the focus with it. It goes to the link's successor: the pin
// of the same model, the same chip, the same link by its id. After a page's turn, or without a successor, to the table.
const slugOf = (row) => row?.querySelector("th.model a[href]:not(.pin)")?.getAttribute("href");
const isAbove = (row) => Boolean(row.closest(".pinned-rows"));

function pinOf(pin) {
  const row = pin.closest("tr"), slug = slugOf(row), above = isAbove(row);
  return () => {
    const same = [...document.querySelectorAll("#board tr")].filter((each) => slugOf(each) === slug);
    return (same.find((each) => isAbove(each) === above) ?? same[0])?.querySelector("a.pin");
  };
}

function chipLike(chip) {
  const words = chip.textContent;
  return () => [...document.querySelectorAll("#size-chips a")].find((each) => each.textContent === words);
}

let successor = null;
document.addEventListener("htmx:beforeSwap", () => {
  const held = document.activeElement;
  successor = held.closest("#board a.pin") ? pinOf(held)
    : held.closest("#size-chips a") ? chipLike(held)
    : held.closest("#board a") ? () => held.id && document.getElementById(held.id)
    : null;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!successor) return;
  const kept = document.activeElement;
  if (kept === document.body || !kept) {
    (successor() || document.querySelector("table.board"))?.focus({ preventScroll: true });
  }
  successor = null;
});
