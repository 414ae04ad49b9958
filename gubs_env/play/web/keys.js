/* Keys. Tab reaches one answer and one card; arrows go on from there. */

const KEYS = { " ": "play", ArrowRight: "next" };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const answerStops = () => [...get("moves").querySelectorAll("button")].filter((node) => node.getClientRects().length);
const cardStops = (every) => {
  const stops = [...get("table").querySelectorAll("[tabindex]")], chosen = stops.filter((node) => node.matches("[role=button]"));
  return every || !chosen.length ? stops : chosen;
};

/* Let Tab reach one stop of a group only. */
function rest(stops, on = stops[0]) {
  for (const each of stops) each.setAttribute("tabindex", each === on ? "0" : "-1");
}

/* Return the nearest stop in a direction; an arrow up or down skips no row. */
function nearest(stops, from, [right, down]) {
  const centre = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [x, y] = centre(from);
  const far = (node) => {
    const [dx, dy] = [centre(node)[0] - x, centre(node)[1] - y], ahead = dx * right + dy * down;
    return ahead > 2 ? ahead + 3 * Math.abs(dx * down + dy * right) : Infinity;
  };
  const distances = stops.map((node) => [far(node), node]).filter(([distance]) => distance < Infinity);
  const found = distances.sort(([a], [b]) => a - b)[0]?.[1];
  if (!found || !down) return found;
  const [above, below] = [from, found].map((node) => node.getBoundingClientRect()).sort((a, b) => a.top - b.top);
  const isBetween = ({ top, bottom }) => top >= above.bottom && bottom <= below.top;
  const between = stops.filter((node) => isBetween(node.getBoundingClientRect()));
  return between.length ? nearest(between, from, [right, down]) : found;
}

function goOn(event, next) {
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

get("moves").addEventListener("keydown", (event) => {
  const [right, down] = ARROWS[event.key] || [], stops = answerStops();
  if (right === undefined) return;
  goOn(event, event.shiftKey ? cardStops(true)[0] : stops.at((stops.indexOf(event.target) + right + down) % stops.length));
});

get("table").addEventListener("keydown", (event) => {
  if (!event.target.matches("[tabindex]") || event.ctrlKey || event.altKey || event.metaKey) return;
  if (ARROWS[event.key]) goOn(event, nearest(cardStops(event.shiftKey), event.target, ARROWS[event.key]));
  if (/Left|Up/.test(event.key)) return event.stopPropagation(); // the answers are to the right or below
  if (event.key !== "Enter" && event.key !== " ") return;
  const picks = picksOf.get(event.target) ?? first.get(placed(event.target));
  event.preventDefault();
  event.stopPropagation();
  if (!picks) return tell(event.target);
  isOnTable = true;
  if (picksOf.has(event.target)) choose(picks);
  else chooseFirst(picks);
});

/* The focus is marked only for those who use the keyboard: the first Tab shows the answer that has it,
   or goes to the first one. */
document.body.classList.add("pointer");
addEventListener("pointerdown", () => document.body.classList.add("pointer"), true);
addEventListener("keydown", (event) => {
  if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
  const focus = document.activeElement, isMarked = !document.body.classList.contains("pointer");
  const answer = answerStops().find((node) => node === focus || focus === document.body);
  document.body.classList.remove("pointer");
  if (event.key !== "Tab" || event.shiftKey || isMarked || !answer) return;
  answer.blur();
  goOn(event, answer);
}, true);

get("moves").addEventListener("focusin", ({ target }) => rest(answerStops(), target));
get("table").addEventListener("focusin", ({ target }) => { if (target.matches("[tabindex]")) rest(cardStops(true), target); });

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.altKey || event.metaKey || !state) return;
  if (event.key === "?") open("keys");
  if (event.key === "Escape") get("whole").getAttribute("aria-expanded") === "true" ? get("whole").click() : back();
  if (event.target.matches("button, select, input, #log, a")) return;
  if (event.key === "Enter" && stage().move) play();
  const id = KEYS[event.key];
  if (!id || get(id).disabled || get(id).hidden) return ARROWS[event.key] && goOn(event, answerStops()[0]);
  event.preventDefault();
  PACE[id]();
});
