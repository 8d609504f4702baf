"use strict";
const say = document.getElementById("said");
for (const button of document.querySelectorAll("button[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      say.textContent = say.dataset.copied;
    } catch {
      say.textContent = say.dataset.selected;
    }
  });
}
for (const search of document.querySelectorAll("input[data-filter]")) {
  const entries = [...document.querySelectorAll("#" + search.dataset.filter + " > li")];
  const words = entries.map((entry) => " " + entry.textContent.toLowerCase().replace(/[\s"'(“‘«#]+/g, " "));
  search.parentElement.hidden = false;
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    entries.forEach((entry, at) => {
      entry.hidden = !wanted.every((word) => words[at].includes(" " + word));
      shown += entry.hidden ? 0 : 1;
    });
    say.textContent = search.value ? say.dataset.shown.replace("{shown}", shown).replace("{total}", entries.length) : "";
  });
}
document.addEventListener("play", (event) => {
  for (const other of document.querySelectorAll("audio, video")) if (other !== event.target) other.pause();
}, true);
