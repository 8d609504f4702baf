// The desk works without this file: it spares reloads, reads keys, and shows the lines of a command as they come.
"use strict";

for (const list of document.querySelectorAll("[data-events]")) {
  const source = new EventSource(`${list.dataset.events}?seen=${list.dataset.seen}`);
  source.addEventListener("message", (event) => {
    const line = list.appendChild(document.createElement("li")).appendChild(document.createElement("bdi"));
    line.textContent = event.data;
    list.scrollTop = list.scrollHeight;
  });
  source.addEventListener("ended", () => { source.close(); location.reload(); });
}

// A page of the desk, of which a part is shown in another one: it says it in the language of the visitor.
const load = (address) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("GET", address);
  request.responseType = "document";
  request.addEventListener("load", () => resolve(request.response));
  request.addEventListener("error", reject);
  request.send();
});

for (const place of document.querySelectorAll("[data-load]")) {
  load(place.dataset.load)
    .then((found) => place.replaceChildren(document.adoptNode(found.querySelector("[data-lines], .problem"))))
    .catch(() => { place.textContent = place.dataset.failed; });
}

// On a narrow screen the menu is one line that scrolls: the page that is shown stands in sight.
document.querySelector(".top [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const button = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (button) { event.preventDefault(); button.click(); }
});

for (const button of document.querySelectorAll("form[method=post] button")) {
  button.form.addEventListener("submit", () => { setTimeout(() => { button.disabled = true; }); }, { once: true });
}
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
});

// What selectors yield, while they are typed, as the page itself says it; the form shows it without this.
for (const form of document.querySelectorAll("form[data-live]")) {
  let waiting;
  const show = async () => {
    const query = new URLSearchParams(new FormData(form));
    const found = await load(`${form.action}?${query}`);
    const rows = found?.querySelector("[data-rows]");
    if (!rows || `${query}` !== `${new URLSearchParams(new FormData(form))}`) return;
    const said = found.querySelector("main .problem") || found.querySelector("[data-total]");
    document.querySelector("[data-total]").textContent = said.textContent;
    document.querySelector("[data-rows]").replaceWith(document.adoptNode(rows));
    document.querySelector("iframe").src = `${form.action.replace(/page$/, "outline")}?${query}`;
  };
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 300);
    for (const field of document.querySelectorAll("form[data-copy] input[type=hidden]")) {
      const typed = form.elements.namedItem(field.name);
      if (typed) field.value = typed.value;
    }
  });
}
