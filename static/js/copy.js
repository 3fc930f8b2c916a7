// A button beside each text that is there to be copied. Without this script the text is selected by hand.
async function copy(area) {
  area.select();
  try {
    await navigator.clipboard.writeText(area.value);
    return "Copied.";
  } catch {
    return "Selected. Copy it with the keyboard.";
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.nextElementSibling.textContent = await copy(document.getElementById(button.dataset.copy));
  });
}
