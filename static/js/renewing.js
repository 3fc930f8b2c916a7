// A part of a page that renews itself waits while a mouse button is down in it: a link that gives way to its successor
// before the button is up hears no click. The next renewal brings what this one leaves out.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.matches("#live:active")) event.preventDefault();
});
