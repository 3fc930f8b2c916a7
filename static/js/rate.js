// The rater's pages work without this script. It adds: keys 1 2 3, saving at once, the tutorial's countdown, Copy.
const form = document.querySelector("[data-rating]");
if (form) {
  const radios = [...form.elements.v];
  const saved = form.querySelector(".saved");
  let last = Promise.resolve();  // one at a time, so that the newest answer is stored last
  const save = async (content) => {
    let stored = false;
    try {
      stored = (await fetch(form.action, { method: "POST", body: content, redirect: "error" })).status === 204;
    } catch { /* no connection: said below */ }
    saved.hidden = false;
    saved.classList.toggle("failed", !stored);
    saved.querySelector("span").textContent = stored ? "Saved" : "Not saved yet. Next tries again.";
  };
  form.addEventListener("change", () => {
    const content = new FormData(form);
    content.set("quiet", "1");
    last = last.then(() => save(content));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a, summary")) return;
    const radio = event.key.length === 1 && radios["123".indexOf(event.key)];
    if (radio) {
      radio.checked = true;
      radio.focus();
      radio.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if (event.key === "Enter" && event.target.name !== "v" && event.target.tagName !== "BUTTON") form.requestSubmit();
  });
}
const note = document.querySelector("[data-wait]");
if (note) {
  const next = document.querySelector("#next");
  let left = Number(note.dataset.wait);
  const tick = () => {
    const waiting = left > 0;
    next.ariaDisabled = String(waiting);
    note.textContent = waiting ? `Please take a moment. You can go on in ${left} seconds.` : "You can go on now.";
    left -= 1;
    if (waiting) setTimeout(tick, 1000);
  };
  next.addEventListener("click", (event) => { if (next.ariaDisabled === "true") event.preventDefault(); });
  note.removeAttribute("role");  // the count is not read out each second
  tick();
}
// Without TLS a browser has no clipboard to write to: the code is then copied by hand.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
