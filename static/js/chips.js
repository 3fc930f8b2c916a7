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

// What is typed and not yet looked for goes with the chip.
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.closest("#size-chips")) return;
  const url = new URL(event.detail.path, location.href), typed = document.getElementById("q").value.trim();
  if (typed === (url.searchParams.get("q") ?? "")) return;
  url.searchParams.delete("q");
  if (typed) url.searchParams.append("q", typed);
  event.detail.path = url.pathname + url.search;
});
