/* A card in hand can be dragged to where it can go: that chooses it and plays it. */

let drag = null; // where the last one began, and the picks of its card

const HELD = "[data-where='hand of you']";

get("table").addEventListener("pointerdown", (event) => {
  const card = event.target.closest?.(HELD), picks = card && first.get(placed(card));
  drag = picks && !event.button ? { event, picks, high: card.getBoundingClientRect().height } : null;
  if (!drag || event.pointerType !== "touch") return;
  get("table").setPointerCapture(event.pointerId); // the card is soon drawn anew
  event.target.addEventListener("touchmove", holdStill, { passive: false });
});

/* A finger that drags a card scrolls nothing. (`touch-action` would not heed a piece of a picture.) */
const holdStill = (event) => { if (drag && event.cancelable) event.preventDefault(); };
get("table").addEventListener("touchmove", holdStill, { passive: false });

const shift = ({ clientX, clientY }) => [clientX - drag.event.clientX, clientY - drag.event.clientY];

/* The card is chosen when it is taken up, so that its targets glow; then it follows the pointer. */
addEventListener("pointermove", (event) => {
  if (!drag || drag.isDone || !event.buttons) return;
  if (!drag.isUnderWay) {
    if (Math.hypot(...shift(event)) < 12) return;
    drag.isUnderWay = true;
    drag.taken = chooseFirst(drag.picks, pick);
  }
  carry(event);
});

/* Let the card that is chosen lie under the pointer, above all others; it will move on from there. */
function carry(event) {
  const card = lying.find(({ node }) => node.matches(`.chosen${HELD}`)), picture = card?.node.ownerSVGElement;
  if (!card) return;
  const [right, down] = shift(event), scale = picture.getScreenCTM().a, moved = `${right / scale}px, ${down / scale}px`;
  if (picture.lastElementChild !== card.node) picture.append(card.node);
  picture.querySelector(".preview")?.remove(); // the arrow would begin where the card has lain
  card.node.style.translate = moved.replace(",", "");
  card.place = `translate(${moved}) ${card.place.replace(/^translate\([^)]*\) (?=translate)/, "")}`;
}

addEventListener("pointerup", async (event) => {
  if (!drag?.isUnderWay || drag.isDone) return;
  drag.isDone = true;
  await drag.taken;
  if (stages.length < 2) return showTable(); // the table has changed meanwhile
  const target = stage().move ? undefined : picksOf.get(pieceAt(event, `.may:not(${HELD})`));
  if (target) await pick(target);
  else if (!fits(event)) return back(1);
  if (!stage().move) return showTable();
  carry(event);
  play();
});

addEventListener("pointercancel", () => {
  if (!drag?.isUnderWay || drag.isDone) return;
  drag.isDone = true;
  back(1);
});

/* Return whether the card that is dragged can go to a point: to the target of its move, or, if
   nothing on the table is one, anywhere but into the hand or before another seat. */
function fits(event) {
  const { move, pieces } = stage(), targets = pieces.slice(1).flat(), there = document.elementsFromPoint(event.clientX, event.clientY);
  const lies = (piece) => there.some((node) => isPiece(node.closest("[data-where], [data-seat]"), piece));
  if (move && targets.length) return targets.some(lies);
  if (!move && [...picksOf.keys()].some((node) => !["choices", "hand of you"].includes(placeOf(node)))) return false;
  const cards = there.map((node) => node.closest(HELD)).filter((node) => node && !node.matches(".chosen"));
  const seat = pieceAt(event, "[data-seat]")?.dataset.seat ?? "You";
  return !cards.length && seat === "You" && there.includes(get("table")) && Math.hypot(...shift(event)) > drag.high / 2;
}
