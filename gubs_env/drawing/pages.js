/* What replays and games in the browser share: trouble and cards are told, and cards move from place to place. */

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
    where: node.dataset.where,
    place: (node.getAttribute("transform") || "")
      .replace(/translate\(([-\d.]+) ([-\d.]+)\)/, "translate($1px, $2px)").replace(/rotate\(([-\d.]+)\)/, "rotate($1deg)"),
  }));
}

/* Move each card that left one place and arrived at another; fade in all others that are new.
   `framesOf(card, from)` returns the frames of a card that moves in another way. */
function moveCards(before, after, lasting = MOVING, framesOf = () => undefined) {
  if (still.matches) return;
  const isNear = ([card, from]) => Boolean(from) && from.where === card.where; // those that come from elsewhere fly above
  for (const [card, from] of paired(before, after).sort((one, other) => isNear(other) - isNear(one))) {
    const frames = framesOf(card, from) ?? (from ? [{ transform: from.place }, { transform: card.place }] : [{ opacity: 0 }, { opacity: 1 }]);
    const isFace = !card.node.querySelector("rect"); // it lies on nothing
    const shrinks = isFace && from?.name === card.name && scaleOf(from) > scaleOf(card);
    optional(() => fly(card.node, frames, lasting, shrinks ? from.node : card.node));
  }
}

const scaleOf = ({ place }) => Number(/scale\(([\d.]+)\)/.exec(place)?.[1] ?? 1);
const numberOf = ({ node }) => Number(node.dataset.count ?? 1);

/* Return each card that is new, with the one that it was before: at the same place if there is one,
   else one that left its place, also for a card that lies on equal ones now. */
function paired(before, after) {
  const old = new Set(before.map((card) => card.text)), kept = new Set(after.map((card) => card.text));
  const left = before.filter(({ text }) => !kept.has(text)), come = after.filter(({ text }) => !old.has(text));
  const take = (fits) => left.splice(left.findIndex(fits) >>> 0, 1)[0];
  const same = come.map((card) => take(({ name, where }) => name === card.name && where === card.where));
  const pairs = come.map((card, index) => [card, same[index] ?? take(({ name }) => name === card.name)]);
  for (const pair of pairs) pair[1] ??= take(({ name }) => !name); // it may have lain face down
  const grown = pairs.filter(([card, from]) => from && card.where === from.where && numberOf(card) > numberOf(from));
  return [...grown.map(([card]) => [card, take(({ name }) => name === card.name)]).filter(([, from]) => from), ...pairs];
}

let cardTexts = new Map(); // the rule of each card, by its name

/* Return what is told of a piece; of a card that is played as another one, what that one does.
   `known` says who knows a card that others do not. */
function textOf(node, known = "You know") {
  const { said, card, as } = node.dataset, isKnown = node.querySelector(".gt-veil") ? `${known} that this card lies here. ` : "";
  const played = as ? `${card}, played as ${as}. ` : "";
  return said || isKnown + played + (cardTexts.get(as ?? card) ?? "");
}

/* Return the piece that is told where one was hit: of cards that lie on each other, the top one, with
   what lies at the place. */
function toldAt(hit) {
  const piled = hit.dataset.where?.startsWith("place") ? [...document.querySelectorAll(`#table [data-where="${CSS.escape(hit.dataset.where)}"]`)] : [];
  const node = piled.filter((each) => each.dataset.card).at(-1) || hit;
  return { node, lying: piled.length > 1 ? `${piled[0].getAttribute("aria-label")}. ` : "" };
}

/* Scroll a table that is higher than its box to the first of some pieces, unless one is seen. */
function reveal(pieces, isGentle) {
  const box = document.getElementById("table").getBoundingClientRect();
  const isSeen = ({ top, bottom }) => top >= box.top - 1 && bottom <= box.bottom + 1;
  const behavior = isGentle && !still.matches ? "smooth" : "auto";
  if (![...pieces].some((node) => isSeen(node.getBoundingClientRect()))) pieces[0]?.scrollIntoView({ block: "nearest", behavior });
}

/* Show a card on its way, above all others. The card itself lies where it will be seen, and can be
   clicked there. */
function fly(node, frames, lasting, shown = node) {
  const timing = { duration: lasting, easing: "ease-in-out" };
  if (!frames[0].transform) return node.animate(frames, timing);
  const moving = copied(shown, "flying");
  moving.animate(frames, timing).onfinish = () => moving.remove();
  node.animate([{ opacity: 0 }, { opacity: 0 }], timing);
  node.parentNode.append(moving);
}

/* Return a copy of a card that is only looked at, with what it uses of a picture that was before. */
function copied(node, kind) {
  const copy = node.cloneNode(true);
  for (const name of copy.getAttributeNames()) copy.removeAttribute(name);
  for (const use of copy.querySelectorAll("use")) {
    const symbol = document.querySelector(use.getAttribute("href")) ?? node.ownerSVGElement?.querySelector(use.getAttribute("href"));
    if (symbol && !symbol.isConnected) use.replaceWith(symbol.cloneNode(true));
  }
  copy.setAttribute("class", `gt-card ${kind}`);
  copy.setAttribute("aria-hidden", "true");
  return copy;
}
