// A popover (a details element) closes by Escape, and by a click or a focus outside of it.
const open = () => [...document.querySelectorAll("details[open]:has(> .popover)")];

function closeOthers(event) {
  open().filter((details) => !details.contains(event.target)).forEach((details) => { details.open = false; });
}

document.addEventListener("click", closeOthers);
document.addEventListener("focusin", closeOthers);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  open().forEach((details) => {
    const inside = details.contains(document.activeElement);
    details.open = false;
    if (inside) details.querySelector("summary").focus();
  });
});
