// A chip of sizes fills the fields of the filter at once, so that a choice made before its rows are here keeps the size.
document.addEventListener("click", (event) => {
  const chip = event.target.closest?.("#filters .chips a");
  if (!chip) return;
  const form = chip.closest("form");
  const [, from = "", to = ""] = /[?&]size=([\d.]*)-([\d.]*)/.exec(chip.search) ?? [];
  form.elements.size_from.value = from;
  form.elements.size_to.value = to;
  form.querySelectorAll(".chips a").forEach((each) => each.removeAttribute("aria-current"));
  chip.setAttribute("aria-current", "true");
}, true);

// The rows bring the filter anew. Who has opened it in the meantime goes on in it.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const details = event.detail.target.id === "filters" && event.detail.target.querySelector("details[open]");
  if (details) event.detail.fragment.querySelector("#filters details").open = true;
});
