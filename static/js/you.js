// A slider beside each number field. The field holds the answer; the slider has none until it is moved.
const form = document.getElementById("rating");
const fields = [...form.querySelectorAll(".rating")];
const missing = document.getElementById("missing");

function tell() {
  const open = fields.filter((field) => field.value === "").length;
  missing.textContent = open === 0 ? ""
    : open === 1 ? "One feeling has no rating yet."
    : `${open} feelings have no rating yet.`;
}

for (const field of fields) {
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: 0, max: 10, step: 1, value: field.value || 5 });
  const name = document.querySelector(`label[for="${field.id}"]`).textContent;
  slider.setAttribute("aria-label", `${name}, slider`);

  const show = () => {
    const known = field.value !== "" && field.validity.valid;
    slider.classList.toggle("set", known);
    slider.setAttribute("aria-valuetext", known ? field.value : "not rated yet");
    if (known) slider.value = field.value;
    tell();
  };
  const take = () => { field.value = slider.value; show(); };
  slider.addEventListener("input", take);
  // A press on the knob where it lies moves nothing, and still means this value.
  slider.addEventListener("click", take);
  slider.addEventListener("keydown", (event) => {
    if (/^\d$/.test(event.key)) slider.value = event.key;
    else if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    take();
  });
  field.addEventListener("input", show);
  field.before(slider);
  field.parentElement.classList.add("slides");
  show();
}
document.getElementById("wrong")?.focus();
