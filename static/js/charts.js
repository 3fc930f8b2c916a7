// Draws each chart when it comes into view, in the colours of the present theme, and saves it as a picture.
// A figure names its colours by the tokens of the sheet ("--accent"); nothing here knows a colour.

const NARROW = 520;
const CONFIG = { displayModeBar: false, responsive: true, doubleClick: false, showTips: false };
const section = () => document.querySelector("[data-plotly]");
const drawn = new Set();
let bundle = null;

// The bundle would write a sheet for maps into the page, which the policy refuses; it does not where such an id stands.
function guard() {
  for (const id of section().dataset.guards.split(" ")) {
    const element = document.createElement("meta");
    element.id = id;
    document.head.append(element);
  }
}

// Plotly is several megabytes: it is asked for once, and only when a chart is in view.
function plotly() {
  bundle ??= new Promise((resolve, reject) => {
    guard();
    const script = document.createElement("script");
    script.src = section().dataset.plotly;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("the script of the charts did not load")));
    document.head.append(script);
  });
  return bundle;
}

const figures = new WeakMap();
function figureOf(box) {
  if (!figures.has(box)) figures.set(box, load(box.dataset.figure));
  return figures.get(box);
}

async function load(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`the figure came with status ${response.status}`);
  return response.json();
}

// The colour that a token has now: light-dark() is resolved by the browser, on an element that is never shown.
function colours() {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const known = new Map();
  const colour = (token) => {
    if (!known.has(token)) {
      probe.style.color = `var(${token})`;
      known.set(token, getComputedStyle(probe).color);
    }
    return known.get(token);
  };
  return { colour, done: () => probe.remove() };
}

function themed(value, colour) {
  if (typeof value === "string") return value.startsWith("--") ? colour(value) : value;
  if (Array.isArray(value)) return value.map((entry) => themed(entry, colour));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, themed(entry, colour)]));
}

function set(layout, path, value) {
  const names = path.split(".");
  const last = names.pop();
  names.reduce((inner, name) => (inner[name] ??= {}), layout)[last] = value;
}

function dressed(figure, narrow) {
  const { colour, done } = colours();
  const data = themed(figure.data, colour);
  const layout = themed(figure.layout, colour);
  const paper = colour("--paper");
  const ink = colour("--ink");
  done();
  layout.font.family = getComputedStyle(document.body).fontFamily;
  if (narrow) for (const [path, value] of Object.entries(figure.narrow)) set(layout, path, value);
  return { data, layout, paper, ink };
}

// The sentences come with the figure: a page may have left them to it, or be older than the last result.
function say(box, chart) {
  const figure = box.closest("figure");
  const title = figure.querySelector("h3");
  const how = figure.querySelector("figcaption p");
  if (title.textContent === chart.title) return;
  for (const named of figure.querySelectorAll(".visually-hidden")) {
    named.textContent = named.textContent.replace(title.textContent, () => chart.title);
  }
  title.textContent = chart.title;
  if (how) how.textContent = chart.how;
  figure.querySelector(".source span").textContent = chart.source;
  box.setAttribute("aria-label", chart.title);
}

async function draw(box) {
  try {
    const [Plotly, chart] = await Promise.all([plotly(), figureOf(box)]);
    say(box, chart);
    const { data, layout } = dressed(chart.figure, box.clientWidth < NARROW);
    if (!drawn.has(box)) box.replaceChildren();
    box.classList.add("is-drawn");
    await Plotly.react(box, data, layout, CONFIG);
    drawn.add(box);
    for (const button of box.closest("figure").querySelectorAll("[data-save]")) button.hidden = false;
  } catch (error) {
    if (!drawn.has(box)) box.textContent = "The picture could not be loaded. Its numbers are in the table below.";
    console.warn(error.message);
  }
}

// A part of the page may have been renewed: what is gone is let go.
function present() {
  for (const box of drawn) {
    if (box.isConnected) continue;
    drawn.delete(box);
    window.Plotly.purge(box);
  }
  return [...drawn];
}

function redraw() {
  present().forEach(draw);
}

const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    sight.unobserve(target);
    draw(target);
  }
});

function watch() {
  present();
  for (const box of document.querySelectorAll("[data-figure]:not(.is-drawn)")) sight.observe(box);
}
watch();
document.addEventListener("htmx:afterSettle", watch);

new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
matchMedia("(max-width: 900px)").addEventListener("change", redraw);

// A saved picture stands alone: it has the title, the source and the paper with it. Plotly reads tags in texts.
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function wrapped(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length > letters && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

function framed(chart, width, height) {
  const { data, layout, paper, ink } = dressed(chart.figure, width < NARROW);
  const title = wrapped(chart.title, width / 9);
  const source = wrapped(chart.source, width / 6);
  const above = 20 * title.length + 16;
  const below = 16 * source.length + 8;
  layout.paper_bgcolor = paper;
  layout.margin.t += above;
  layout.margin.b += below;
  layout.title = {
    text: title.map(plain).join("<br>"), font: { size: 15, color: ink },
    xref: "container", x: 0, xanchor: "left", yref: "container", y: 1, yanchor: "top", pad: { l: 12, t: 14 },
  };
  layout.annotations.push({
    text: source.map(plain).join("<br>"), font: { size: 11 }, showarrow: false, align: "left",
    xref: "paper", x: 0, xanchor: "left", xshift: 12 - layout.margin.l, yref: "paper", y: 0, yanchor: "top", yshift: -46,
  });
  return { data, layout, size: { width, height: height + above + below } };
}

// The policy of the site allows no blob: picture, so Plotly's own PNG would stay empty: the SVG is painted here.
async function painted(address, { width, height }) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function save(box, format) {
  const [Plotly, chart] = await Promise.all([plotly(), figureOf(box)]);
  const { data, layout, size } = framed(chart, box.clientWidth, box.clientHeight);
  const address = await Plotly.toImage({ data, layout, config: CONFIG }, { format: "svg", ...size });
  const svg = decodeURIComponent(address.slice(address.indexOf(",") + 1));
  const blob = format === "png" ? await painted(address, size) : new Blob([svg], { type: "image/svg+xml" });
  offer(blob, `${box.dataset.file}.${format}`);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-save]");
  if (button) save(button.closest("figure").querySelector("[data-figure]"), button.dataset.save);
});
