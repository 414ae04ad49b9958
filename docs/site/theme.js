// Pictures and replays follow the page between light and dark.
"use strict";
function follow() {
  const theme = document.body.dataset.mdColorScheme === "slate" ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
  for (const frame of document.querySelectorAll(".replay iframe")) {
    const colour = () => {
      if (frame.contentDocument) frame.contentDocument.documentElement.dataset.theme = theme;
    };
    colour();
    frame.onload = colour;
  }
}
// Wide tables scroll, so the keyboard must reach them. The theme wraps them after this script.
addEventListener("load", () => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
});
new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
follow();
