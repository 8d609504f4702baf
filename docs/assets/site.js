// What the theme leaves open to people with a keyboard or a screen reader.

// An empty cell is no header of a column.
for (const header of document.querySelectorAll("th:empty")) header.replaceWith(document.createElement("td"))

// Code and tables that are wider than the page can be reached, and so be scrolled.
const reach = () => {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute("tabindex")
}
addEventListener("load", reach)
addEventListener("resize", reach)
