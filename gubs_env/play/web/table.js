/* The table: what can be chosen on it, and what a card does. */

let lying = null, isSettling = false, isPlaced = false;
let picksOf = new Map(), first = new Map(); // the picks that elements name now, and that places named at first

/* Every piece that names a choice can be clicked or tapped; one piece for each by keyboard. */
function showTable() {
  const box = get("table"), before = lying, focused = box.contains(document.activeElement) && document.activeElement;
  box.innerHTML = stage().picture;
  const svg = box.firstElementChild, last = new Map(), shown = new Map();
  const isLow = svg.classList.contains("dense") || svg.clientHeight > box.clientHeight;
  if (state.drawn === size() && isLow) document.body.classList.add("high"); // to the end
  lying = cardsIn(svg);
  picksOf = new Map();
  for (const [text, picks] of choices()) shown.set(picks.at(-1), { text, picks });
  if (shown.size) svg.setAttribute("role", "group");
  for (const node of svg.querySelectorAll("[data-card], [data-said]")) explain(node);
  for (const node of svg.querySelectorAll("[data-action]")) {
    const choice = shown.get(+node.dataset.action);
    if (!choice) continue;
    node.classList.add("may");
    picksOf.set(node, choice.picks);
    if (!last.has(choice) || placeOf(last.get(choice)) === placeOf(node)) last.set(choice, node); // of places alike, the first
  }
  if (stages.length === 1) first = new Map([...picksOf].map(([node, picks]) => [placed(node), picks]));
  for (const node of svg.querySelectorAll("[data-where]:not(.may)")) if (first.has(placed(node))) node.classList.add("other");
  markPicks(svg);
  for (const [choice, node] of last) {
    node.setAttribute("tabindex", "-1");
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", choice.text);
  }
  const stops = cardStops(), on = stops.find((node) => focused && placed(node) === placed(focused)) ?? stops[0];
  rest(cardStops(true), on);
  isSettling = true; // nothing is told of what the person has not gone to
  if (focused) on?.focus({ preventScroll: true });
  isSettling = false;
  if (before) moveCards(before, lying, lasting(), flights(before));
  if (before) holdTrick(svg, before);
  if (before) cancel(svg, before);
  if (before) strike(svg, before);
  if (!isPlaced) box.scrollTop = box.scrollHeight; // where the viewer sits
  isPlaced = state.drawn === size();
  const shownFirst = svg.querySelector(".aim") ? ".aim" : state.moves?.length || !before ? ".may" : ".gt-turn";
  reveal(svg.querySelectorAll(state.over ? ".gt-stage, .gt-turn" : shownFirst), fresh.length); // at the end the Turtle or the winner
}

/* Return the topmost piece of the table at a point that a selector names. */
const pieceAt = ({ clientX, clientY }, shown) =>
  document.elementsFromPoint(clientX, clientY).map((node) => node.closest?.(`#table :is(${shown})`)).find(Boolean);

/* What lies on top counts; where that cannot be chosen, the seat or pile beneath it does. */
get("table").addEventListener("click", (event) => {
  if (drag?.isUnderWay) return;
  const chosen = pieceAt(event, ".may"), told = pieceAt(event, "[data-card], [data-said]"), picks = picksOf.get(chosen);
  if (told && (!picks || choices() === stages[0].answers)) tell(told);
  const other = pieceAt(event, ".other:not(.chosen)");
  if (picks) choose(picks);
  else if (chosen) play();
  else if (other) chooseFirst(first.get(placed(other)));
});

const placeOf = ({ dataset }) => dataset.where ?? dataset.seat;
const placed = (node) => `${node.dataset.card}, ${placeOf(node)}`;

/* Mark the card that is chosen, and what it is aimed at: of a complete move with an arrow to what the
   picture, which is from before its last pick, does not show yet. */
function markPicks(svg) {
  const isFirst = (node, at, [named]) => !/^place/.test(placeOf(node)) || placeOf(node) === placeOf(named); // of places alike
  const [card = [], ...targets] = stage().pieces.map((named) => named.map((piece) => pieceOf(svg, piece)).filter(Boolean).filter(isFirst));
  svg.classList.toggle("settled", Boolean(stage().move && card.length));
  const isRaised = stages.length === 2 && stage().move; // otherwise the picture is from after its pick
  for (const node of card) node.classList.add("chosen", ...(isRaised && /^hand/.test(placeOf(node)) ? ["raised"] : []));
  for (const node of targets.flat()) node.classList.add("aim", ...(stage().move ? ["may"] : []));
  if (!stage().move || !card.length) return;
  const place = ([node]) => placeOf(node), aims = targets.filter((named) => named.length);
  const drawn = new Set([place(card), ...aims.slice(0, Math.max(0, stages.at(-2).pieces.length - 1)).map(place)]);
  for (const named of aims) {
    if (!drawn.has(place(named))) svg.querySelector(".gt-words").before(arrow(svg, card.at(-1), named[0]));
    drawn.add(place(named));
  }
}

/* Return whether an element is a piece, and the element of a piece: see `named_by`. */
const isPiece = (node, piece) => node && Object.entries(piece).every(([name, value]) => node.dataset[name] === value);
const pieceOf = (svg, piece) => [...svg.querySelectorAll("[data-where], [data-seat]")].findLast((node) => isPiece(node, piece));

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/* Return the box of a piece in the coordinates of the picture. */
function boxOf(svg, node) {
  const { left, top, width, height } = node.getBoundingClientRect(), origin = svg.getScreenCTM();
  return { x: (left - origin.e) / origin.a, y: (top - origin.f) / origin.d, width: width / origin.a, height: height / origin.d };
}

/* Return an arrow from a card to a piece, which ends in the card, small and pale, on the piece. */
function arrow(svg, card, piece) {
  const from = boxOf(svg, card), to = boxOf(svg, piece);
  const [across, down] = to.width > 2 * from.width ? [0.5, 0.5] : [0.8, 0.7]; // beside the face of a card
  const [x1, y1] = [from.x + from.width / 2, from.y + 0.2 * from.height];
  const [x2, y2] = [to.x + across * to.width, to.y + down * to.height];
  const far = Math.hypot(x2 - x1, y2 - y1) || 1, bend = Math.min(60, far / 6);
  const [x, y] = [(x1 + x2) / 2 - (bend * (y2 - y1)) / far, (y1 + y2) / 2 + (bend * (x2 - x1)) / far];
  const d = `M${x1} ${y1}Q${x} ${y} ${x2} ${y2}`, scale = Math.min(0.5, (0.7 * to.width) / 100, (0.7 * to.height) / 140);
  const ghost = copied(card, "ghost");
  for (const text of ghost.querySelectorAll("text, title")) text.remove(); // too small to read
  ghost.setAttribute("transform", `translate(${x2 - 50 * scale} ${y2 - 70 * scale}) scale(${scale})`);
  return shape("g", { class: "gt-aim preview", "aria-hidden": "true" },
    shape("path", { class: "gt-halo", d }), shape("path", { class: "gt-arrow", d }), ghost);
}

/* Say what a card does: when the mouse rests on it, and when it is clicked or has the focus. */
function explain(node) {
  const text = textOf(node);
  if (!text) return;
  const title = document.createElementNS(node.namespaceURI, "title");
  title.textContent = text;
  node.prepend(title); // before the mere name of a small card
  node.setAttribute("tabindex", "-1");
  node.addEventListener("focus", () => { if (!isSettling && node.matches(":focus-visible")) tell(node); });
}

/* Show a card large, with its rule. */
function tell(hit) {
  const { node, lying } = toldAt(hit), text = textOf(node) || node.dataset.card;
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
  say(svg, element("span", lying + text));
}
