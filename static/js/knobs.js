// The picture of a ranking: names the model under the pointer, finger or arrow key, and leads to its page.
const area = document.querySelector(".knobs[data-points]");
if (area) {
  const points = JSON.parse(area.dataset.points);
  // The address of a model named "-", so that a board under a prefix works as well.
  const pageOf = (slug) => area.dataset.models.replace("/-/", `/${slug}/`);
  const tip = Object.assign(document.createElement("a"), { className: "knob-tip", hidden: true });
  const name = document.createElement("bdi"), words = document.createElement("span");
  tip.append(name, words);
  const ring = Object.assign(document.createElement("i"), { className: "knob-ring", hidden: true });
  area.append(ring, tip);
  area.tabIndex = 0;
  area.setAttribute("role", "group");
  area.setAttribute("aria-label", "Scores of the models: arrow keys step through them, Enter opens one");
  let at = -1;

  const show = (index) => {
    at = Math.max(0, Math.min(points.length - 1, index));
    const [x, y, model, slug, says] = points[at];
    name.textContent = model;
    words.textContent = says;
    tip.href = pageOf(slug);
    tip.hidden = ring.hidden = false;
    ring.style.left = tip.style.left = `${x}%`;
    ring.style.top = `${y}px`;
    tip.classList.toggle("to-left", x > 60);
  };
  const hide = () => { tip.hidden = ring.hidden = true; at = -1; };
  const nearest = (event) => {
    const box = area.getBoundingClientRect();
    const share = (100 * (event.clientX - box.left)) / box.width;
    return points.reduce((best, point, index) =>
      (Math.abs(point[0] - share) < Math.abs(points[best][0] - share) ? index : best), 0);
  };

  area.addEventListener("pointermove", (event) => show(nearest(event)));
  area.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
  area.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const before = at, now = nearest(event);
    // A finger names the model first and opens it with the second touch; a mouse has named it already.
    if (event.pointerType === "mouse" || before === now) window.location.assign(pageOf(points[now][3]));
    else show(now);
  });
  area.addEventListener("focus", () => { if (at < 0) show(0); });
  area.addEventListener("blur", (event) => { if (!area.contains(event.relatedTarget)) hide(); });
  area.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) { show(at + step); event.preventDefault(); }
    if (event.key === "Home") { show(0); event.preventDefault(); }
    if (event.key === "End") { show(points.length - 1); event.preventDefault(); }
    if (event.key === "Enter" && at >= 0) window.location.assign(pageOf(points[at][3]));
    if (event.key === "Escape") hide();
  });
}
