/* A card in hand can be dragged, by mouse or pen, to what it is aimed at: that chooses both. */

let drag = null; // where the last one began, and the picks of its card

get("table").addEventListener("pointerdown", (event) => {
  const card = event.target.closest?.("[data-where='hand of you']"), picks = card && first.get(placed(card));
  drag = picks && event.pointerType !== "touch" && !event.button && !get("quick").checked ? { event, picks } : null;
});

/* The card is chosen when it is taken up, so that its targets glow; then it follows the pointer. */
addEventListener("pointermove", ({ buttons, clientX, clientY }) => {
  if (!drag || drag.isDone || !buttons) return;
  const [right, down] = [clientX - drag.event.clientX, clientY - drag.event.clientY];
  if (!drag.isUnderWay) {
    if (Math.hypot(right, down) < 12) return;
    drag.isUnderWay = true;
    chooseFirst(drag.picks);
  }
  const card = get("table").querySelector(".chosen"), picture = card?.ownerSVGElement;
  if (!card) return;
  if (picture.lastElementChild !== card) picture.append(card); // above all others
  card.style.translate = `${right / picture.getScreenCTM().a}px ${down / picture.getScreenCTM().d}px`;
});

addEventListener("pointerup", (event) => {
  if (!drag?.isUnderWay || drag.isDone) return;
  drag.isDone = true;
  const picks = !stage().move && picksOf.get(pieceAt(event, ".may"));
  if (picks) choose(picks);
  else showTable();
});
