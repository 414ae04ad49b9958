/* What replays and games in the browser share: trouble is told, and cards move from place to place. */

/* Return what an optional thing of the browser gives; `otherwise` where it is missing or refused. */
function optional(ask, otherwise) {
  try {
    return ask() ?? otherwise;
  } catch {
    return otherwise;
  }
}

/* Say what went wrong and what to do; "" if nothing does. */
function trouble(text) {
  const box = document.getElementById("trouble");
  box.hidden = !text;
  box.firstElementChild.textContent = text;
}

const failed = (error) => trouble(`This page has failed: ${error?.message || error}. Reload it, or use another browser.`);
addEventListener("error", ({ error }) => { if (error) failed(error); }); // a notice of the browser has none
addEventListener("unhandledrejection", ({ reason }) => failed(reason));

const still = optional(() => matchMedia("(prefers-reduced-motion: reduce)"), { matches: true });
const MOVING = 200; // milliseconds

/* Return the cards in a picture. Call it before anything is added to their elements: two pictures
   show the same card at the same place if the elements have the same text. */
function cardsIn(picture) {
  return [...picture.querySelectorAll("[data-where]")].map((node) => ({
    node,
    text: node.outerHTML,
    name: node.dataset.card || "",
    place: (node.getAttribute("transform") || "")
      .replace(/translate\(([-\d.]+) ([-\d.]+)\)/, "translate($1px, $2px)"),
  }));
}

/* Move each card that left one place and arrived at another; fade in all others that are new. */
function moveCards(before, after) {
  if (still.matches) return;
  const old = new Set(before.map((card) => card.text)), kept = new Set(after.map((card) => card.text));
  const left = new Map();
  for (const card of before)
    if (!kept.has(card.text)) left.set(card.name, [...(left.get(card.name) || []), card.place]);
  for (const { node, text, name, place } of after) {
    if (old.has(text)) continue;
    const from = left.get(name)?.shift();
    const frames = from ? [{ transform: from }, { transform: place }] : [{ opacity: 0 }, { opacity: 1 }];
    optional(() => node.animate(frames, { duration: MOVING, easing: "ease-out" }));
  }
}

/* Show the middle of a table that is wider than its box, and let the keyboard scroll it. */
function centre(box) {
  box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
