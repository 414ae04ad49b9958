/* The table: what can be chosen on it, and what a card does. */

let cardTexts = new Map(), lying = null;

/* Every piece that names a choice can be clicked or tapped; one piece for each by keyboard. */
function showTable() {
  const box = get("table"), focused = document.activeElement?.dataset?.action, before = lying;
  box.innerHTML = stage().picture;
  const svg = box.firstElementChild, last = new Map(), shown = new Map();
  lying = cardsIn(svg);
  for (const [text, picks] of choices()) shown.set(picks.at(-1), { text, picks });
  if (shown.size) svg.setAttribute("role", "group");
  for (const node of svg.querySelectorAll("[data-card], [data-said]")) explain(node);
  for (const node of svg.querySelectorAll("[data-action]")) {
    const choice = shown.get(+node.dataset.action);
    if (!choice) continue;
    node.classList.add("may");
    last.set(choice, node);
  }
  for (const target of stage().targets || [])
    for (const node of svg.querySelectorAll(`[data-action="${target}"]`)) node.classList.add("may", "aim");
  for (const [choice, node] of last) {
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", choice.text);
    if (focused === node.dataset.action) node.focus();
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(choice.picks); }
    });
  }
  if (before) moveCards(before, lying);
  if (before) reveal(svg.querySelectorAll(stage().targets?.length ? ".aim" : ".may"));
  else box.scrollTop = box.scrollHeight; // the viewer sits there
}

/* Scroll a table that is higher than its box to the first of some pieces, unless one is seen. */
function reveal(pieces) {
  const box = get("table").getBoundingClientRect();
  const isSeen = ({ top, bottom }) => top >= box.top - 1 && bottom <= box.bottom + 1;
  if (![...pieces].some((node) => isSeen(node.getBoundingClientRect()))) pieces[0]?.scrollIntoView({ block: "nearest" });
}

/* What lies on top counts; where that cannot be chosen, the seat or pile beneath it does. */
get("table").addEventListener("click", (event) => {
  const beneath = document.elementsFromPoint(event.clientX, event.clientY);
  const chosen = beneath.map((node) => node.closest?.("#table .may")).find(Boolean);
  const told = beneath.map((node) => node.closest?.("#table [data-card], #table [data-said]")).find(Boolean);
  const action = chosen && +chosen.dataset.action;
  const choice = chosen && choices().find(([, picks]) => picks.at(-1) === action);
  if (told && (!choice || stages.length === 1)) tell(told);
  if (choice) choose(choice[1]);
  else if (chosen && [stage().picks.at(-1), stage().taken].includes(action)) play();
  else if (chosen) stage().taken = action; // it followed by itself: who chooses it now has not confirmed it
});

/* Say what a card does: when the mouse rests on it, and when it is clicked or has the focus. */
function explain(node) {
  const text = node.dataset.said || cardTexts.get(node.dataset.card);
  if (!text) return;
  const title = document.createElementNS(node.namespaceURI, "title");
  title.textContent = text;
  node.append(title);
  node.setAttribute("tabindex", "0");
  node.addEventListener("focus", () => tell(node));
}

/* Show a card large, with its rule. */
function tell(hit) {
  // Of cards that lie on each other, the top one is told, with what lies at the place.
  const piled = hit.dataset.where?.startsWith("place") ? [...get("table").querySelectorAll(`[data-where="${CSS.escape(hit.dataset.where)}"]`)] : [];
  const node = piled.filter((each) => each.dataset.card).at(-1) || hit;
  const text = node.dataset.said || cardTexts.get(node.dataset.card) || node.dataset.card;
  const face = node.querySelector("use")?.getAttribute("href");
  if (!text) return;
  if (!node.dataset.card || !face) return say(text);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS(svg.namespaceURI, "use");
  svg.setAttribute("class", "gt");
  svg.setAttribute("viewBox", "0 0 100 140");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", face);
  svg.append(use);
  const lying = piled.length > 1 ? `${piled[0].getAttribute("aria-label")}. ` : "";
  say(svg, element("span", lying + text));
}
