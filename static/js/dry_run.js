// While a dry run works: which item is asked, and for how long. Without this script the page says so when it is through.
const POLL_SECONDS = 2;
const line = document.getElementById("dry-asking");
const spoken = document.getElementById("dry-status");
let timer = 0;

function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function look(name, told) {
  try {
    const answer = await fetch(line.dataset.progress.replace(/0\/$/, `${name}/`));
    const { asking } = answer.ok ? await answer.json() : {};
    if (asking && asking !== told.asking) {
      told.asking = asking;
      if (timer) spoken.textContent = `${asking}.`;
    }
  } catch {
    // The next look may succeed; the seconds go on meanwhile.
  }
}

function begin(name) {
  const began = Date.now();
  const told = { asking: "Asking" };
  let seconds = 0;
  const draw = () => {
    line.textContent = `${told.asking} … ${seconds} s`;
  };
  const tick = () => {
    seconds = Math.round((Date.now() - began) / 1000);
    draw();
    if (seconds % POLL_SECONDS === 1) look(name, told).then(() => timer && draw());
  };
  end();
  draw();
  line.hidden = false;
  timer = setInterval(tick, 1000);
}

function end() {
  clearInterval(timer);
  timer = 0;
  line.hidden = true;
}

document.body.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.getAttribute("hx-target") !== "#dry") return;
  const name = newName();
  event.detail.parameters.watch = name;
  begin(name);
});
for (const over of ["htmx:afterRequest", "htmx:sendError", "htmx:timeout"]) {
  document.body.addEventListener(over, (event) => {
    if (event.detail.elt.getAttribute("hx-target") === "#dry") end();
  });
}
// A button that is disabled while it works loses the focus: it gets it back, unless the reader has gone elsewhere.
document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.elt.getAttribute("hx-target") === "#dry" && document.activeElement === document.body) detail.elt.focus();
});

// The board gave no panel: the box says so. The proof of an earlier dry run stays, since it counts as before.
function tellFailed() {
  const panel = document.getElementById("dry");
  const proof = panel.querySelector("[name=proof]");
  panel.replaceChildren(document.getElementById("dry-failed").content.cloneNode(true));
  if (proof) panel.append(proof);
  spoken.textContent = `Dry run: ${panel.querySelector("p:last-of-type").textContent}`;
}
for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.body.addEventListener(failure, (event) => {
    if (event.detail.elt.getAttribute("hx-target") === "#dry") tellFailed();
  });
}
// What was wrong with a field is unknown once it is changed; the next dry run or submission says what is wrong then.
document.querySelector("form[novalidate]").addEventListener("input", ({ target }) => {
  const field = target.closest(".wrong");
  if (!field) return;
  field.classList.remove("wrong");
  field.querySelector("[id$=_error]")?.remove();
  for (const each of field.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  if (!document.querySelector(".wrong")) document.getElementById("errors")?.remove();
});
