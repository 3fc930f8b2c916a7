// Who is tied with whom: marked for the row that is pointed at or has the focus. The band of shaded rows, which the
// page draws for the leader, follows the row whose possible ranks are pressed.
const rows = () => [...document.querySelectorAll(".board tr[data-ties]")];
const tiedWith = (row, other) => {
  const place = Number(other.dataset.place);
  return (parseInt(row.dataset.ties[place >> 2], 16) >> (3 - (place & 3))) & 1;
};
const nameOf = (row) => row.querySelector(".model a bdi").textContent;

function mark(row) {
  const all = rows();
  all.forEach((other) => other.classList.toggle("tie", Boolean(row) && other !== row && Boolean(tiedWith(row, other))));
}

function follow(row) {
  const all = rows(), n = Number(row.dataset.tied);
  const here = new Set(all.filter((other) => tiedWith(row, other)).map((other) => other.dataset.place)).size - 1;
  all.forEach((other) => {
    other.classList.toggle("tied", Boolean(tiedWith(row, other)));
    other.classList.toggle("pivot", other.dataset.place === row.dataset.place);
    const button = other.querySelector(".range button");
    if (button) button.setAttribute("aria-pressed", String(other.dataset.place === row.dataset.place));
  });
  document.querySelector("table.board").classList.add("follows");
  const said = document.getElementById("tied-said");
  const name = Object.assign(document.createElement("bdi"), { textContent: nameOf(row) });
  const back = Object.assign(document.createElement("button"), { type: "button", textContent: "Back to the leader", className: "link" });
  back.addEventListener("click", reset);
  const ties = n === 0 ? ", which no model is tied with" : ` and the ${n} ${n === 1 ? "model" : "models"} tied with it`;
  said.replaceChildren("Shaded: ", name, ties, here < n ? `, ${here} of them on this page. ` : ". ", back);
}

// What the page was sent with: the rows tied with the leader, whose name may be on another page.
let sent = new Map(), words = "";
function reset() {
  const pressed = document.querySelector('.range button[aria-pressed="true"]');
  rows().forEach((row) => {
    row.classList.toggle("tied", Boolean(sent.get(row)));
    row.classList.remove("pivot");
    row.querySelector(".range button")?.setAttribute("aria-pressed", "false");
  });
  document.querySelector("table.board")?.classList.remove("follows");
  document.getElementById("tied-said").textContent = words;
  pressed?.focus();
}

function prepare() {
  const said = document.getElementById("tied-said");
  const fresh = rows().filter((row) => !row.querySelector(".range button"));
  if (!said || !fresh.length) return;
  sent = new Map(rows().map((row) => [row, row.classList.contains("tied")]));
  words = said.textContent;
  fresh.forEach((row) => {
    const cell = row.querySelector(".range");
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: cell.textContent });
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-label", `${cell.textContent}: shade the models tied with ${nameOf(row)}`);
    button.addEventListener("click", () => (button.getAttribute("aria-pressed") === "true" ? reset() : follow(row)));
    cell.replaceChildren(button);
  });
}

const rowOf = (event) => event.target.closest?.(".board tr[data-ties]") ?? null;
document.addEventListener("mouseover", (event) => mark(rowOf(event) ?? rowOf({ target: document.activeElement })));
document.addEventListener("focusin", (event) => mark(rowOf(event)));
document.addEventListener("focusout", (event) => { if (!event.relatedTarget) mark(null); });
document.addEventListener("htmx:afterSettle", prepare);
prepare();
