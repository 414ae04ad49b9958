/* What the tests ask of the page of a game; `tab.evaluate` calls these functions. */

/* Return the texts below 12 pixels, the cards below 40 that can be chosen, what is outside the window,
   and what no scrolling reaches. */
window.findFaults = () => {
  const faults = [], shown = "#table text, #asked *, #account h2, header *";
  for (const each of document.querySelectorAll(shown)) {
    const box = each.getBoundingClientRect(), drawn = each.tagName === "text";
    if (!box.width || !each.textContent.trim() || (!drawn && each.children.length)) continue;
    const { a, b } = drawn ? each.getScreenCTM() : { a: 1, b: 0 }; // cards of a fan are turned
    const size = parseFloat(getComputedStyle(each).fontSize) * Math.hypot(a, b);
    if (size < 11.95) faults.push(["small", each.textContent, size]);
    const around = (each.closest("#table svg, #panel") || document.documentElement).getBoundingClientRect();
    const isBeside = box.left < around.left - 1 || box.right > around.right + 1;
    const isBeyond = box.top < around.top - 1 || box.bottom > around.bottom + 1;
    if (isBeside || (isBeyond && !each.closest("#panel"))) faults.push(["outside", each.textContent]);
  }
  const targets = new Map(); // by place: a card and what lies on it are one target
  for (const each of document.querySelectorAll("#table .may[data-where]")) {
    const { width, height } = each.getBoundingClientRect(), where = each.dataset.where;
    targets.set(where, Math.max(targets.get(where) ?? 0, Math.min(width, height)));
  }
  for (const [where, least] of targets)
    if (innerWidth >= 320 && innerHeight >= 320 && least < 39.5) faults.push(["a small target", where, least]);
  for (const each of document.querySelectorAll("#table, #panel, #asked, #end"))
    if (each.scrollWidth > each.clientWidth) faults.push(["scrolls sideways", each.id]);
  const { scrollHeight, scrollWidth } = document.documentElement;
  const isLong = scrollHeight > innerHeight && !(document.body.matches(".ended") && innerHeight > innerWidth);
  if (isLong || scrollWidth > innerWidth) faults.push(["the page scrolls"]);
  return faults;
};

/* Return whether the picture is drawn for the size of the window; a higher one is scrolled. */
window.isFitted = () => {
  const svg = document.querySelector("#table svg"), box = document.getElementById("table");
  return svg.getAttribute("width") === String(box.clientWidth)
    && svg.getAttribute("height") >= box.clientHeight;
};

/* Return whether a choice is seen on the table, at a place whose name begins like this. */
window.seen = (where) => [...document.querySelectorAll(`#table .may[data-where^="${where}"]`)].some(isSeen);
window.isSeen = (node) => {
  const box = document.getElementById("table").getBoundingClientRect(), { top, bottom } = node.getBoundingClientRect();
  return top >= box.top - 1 && bottom <= box.bottom + 1;
};

/* Return whether the name of the first winner is within the part of the table that is seen. */
window.isWinnerSeen = () => {
  const box = document.getElementById("table").getBoundingClientRect(), { top } = document.querySelector("#table .gt-turn").getBoundingClientRect();
  return top >= box.top - 1 && top <= box.bottom - 40;
};

/* Return whether the table is higher than its place. */
window.isScrolled = () => {
  const box = document.getElementById("table");
  return box.scrollHeight > box.clientHeight;
};

/* Return a point at which a click hits a piece of the table; undefined if there is none. */
window.spotOf = (node) => {
  const box = node.getBoundingClientRect(), spots = [];
  for (const across of [0.5, 0.15, 0.85]) for (const down of [0.5, 0.1, 0.9, 0.97])
    spots.push([box.left + across * box.width, box.top + down * box.height]);
  return spots.find(([x, y]) => document.elementsFromPoint(x, y).some((one) => one.closest("#table .may") === node));
};

/* Return a point at which a click hits the place of this number; it is scrolled to. */
window.spotOfPlace = (number) => {
  const node = document.querySelectorAll("#table .may[role=button]")[number];
  node.scrollIntoView({ block: "nearest" });
  return spotOf(node);
};

/* Click on everything that glows; return what did not react, or played a move. */
window.clickAll = async () => {
  const faults = [], version = state.version, quiet = () => new Promise((done) => setTimeout(done, 5));
  const glowing = () => [...document.querySelectorAll("#table .may")];
  stages = [root()]; // the only move possible is chosen already, and a click on it would play it
  show();
  for (let index = 0; index < glowing().length; index++) {
    const node = glowing()[index], spot = spotOf(node);
    if (!spot) { faults.push(["nowhere to click", node.outerHTML.slice(0, 90)]); continue; }
    const [clientX, clientY] = spot;
    document.elementFromPoint(...spot).dispatchEvent(
      new MouseEvent("click", { bubbles: true, clientX, clientY }),
    );
    for (let waited = 0; (busy || stages.length < 2) && waited < 600; waited++) await quiet();
    if (stages.length < 2) faults.push(["dead", node.outerHTML.slice(0, 90)]);
    if (state.version !== version) faults.push(["played", node.outerHTML.slice(0, 90)]);
    stages = [root()];
    show();
  }
  return faults;
};

/* Return what has the focus. */
window.focused = () => {
  const { dataset, id, textContent } = document.activeElement;
  return dataset.where || id || textContent;
};

/* Return what has a focus ring that a box or the window cuts off. */
window.cutRings = () => {
  document.body.classList.remove("pointer"); // as with a keyboard
  const faults = [], inner = (box) => [box.left, box.top, box.right, box.bottom];
  for (const node of (document.querySelector("dialog[open]") || document).querySelectorAll("button, select, input, a[href], [tabindex='0']")) {
    if (!node.getClientRects().length || node.closest("svg")) continue;
    node.focus();
    const style = getComputedStyle(node), ring = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
    const [left, top, right, bottom] = inner(node.getBoundingClientRect());
    for (let box = node.parentElement; box; box = box.parentElement) {
      if (box !== document.documentElement && getComputedStyle(box).overflow === "visible") continue;
      const [l, t, r, b] = box === document.documentElement ? [0, 0, innerWidth, innerHeight] : inner(box.getBoundingClientRect());
      if (left - ring < l || top - ring < t || right + ring > r || bottom + ring > b) faults.push([node.id || node.textContent.slice(0, 40), box.id || box.tagName]);
    }
  }
  return faults;
};

/* Return the stops from which an arrow up or down skips a row. */
window.skippedRows = () => {
  const stops = cardStops(true), box = (node) => node.getBoundingClientRect(), found = [];
  for (const [from, up] of stops.flatMap((node) => [[node, true], [node, false]])) {
    const to = nearest(stops, from, ARROWS[up ? "ArrowUp" : "ArrowDown"]);
    const [above, below] = up ? [to, from] : [from, to];
    const isBetween = (node) => box(node).top >= box(above).bottom && box(node).bottom <= box(below).top;
    if (to && stops.some(isBetween)) found.push(`${placed(from)} to ${placed(to)}`);
  }
  return found;
};
