// Marks for a comparison: counted, kept in the address, and taken along by each request that renews the table.
const boxes = () => [...document.querySelectorAll('input[name="m"][form="compare"]')];
const elsewhere = () => [...document.querySelectorAll('#compare input[type="hidden"][name="m"]')];

function marked() {
  const ticked = boxes().filter((box) => box.checked);
  return [...new Set([...elsewhere(), ...ticked].map((input) => input.value))];
}

function withMarks(address) {
  const url = new URL(address, location.href);
  url.searchParams.delete("m");
  marked().forEach((slug) => url.searchParams.append("m", slug));
  return url.pathname + url.search;
}

function tell() {
  const status = document.getElementById("marked");
  if (!status) return;
  const n = marked().length;
  status.textContent = n === 0 ? "Mark two to four models."
    : n === 1 ? "1 marked; mark one to three more."
    : n <= 4 ? `${n} marked.`
    : `${n} marked; the first four are compared.`;
}

document.addEventListener("change", (event) => {
  if (!event.target.matches('input[name="m"]')) return;
  // A model may stand in the table twice: pinned and in its place.
  boxes().filter((box) => box.value === event.target.value).forEach((box) => { box.checked = event.target.checked; });
  history.replaceState(history.state, "", withMarks(location.href));
  tell();
});
document.addEventListener("htmx:configRequest", (event) => {
  if (document.getElementById("compare")) event.detail.path = withMarks(event.detail.path);
});
document.addEventListener("htmx:afterSettle", tell);
tell();
