/* The end of a trick, and of a hand. The picture shows the cards with their winner already, or gone. */

let taken; // the trick that has just been taken, while the picture is shown for the first time
let reading = Promise.resolve(); // until a person has read how a hand ended: so long no news are asked for

/* Return for how many milliseconds a full trick lies: the last one of a hand until a person has read it. */
function staying() {
  const usual = 2200 * Math.min(0.4, state.controls.delay);
  return state.news && taken?.ending ? Math.max(usual, REST.read) : usual;
}

/* Let the table before the end of a hand be seen until a person has read how it ended, the card that
   has won marked. */
function showLaid(time) {
  const past = element("div", undefined, "past"), where = `trick, laid by ${taken.winner}`.toLowerCase();
  past.innerHTML = taken.picture;
  cardsIn(past.firstElementChild).find((card) => card.where.toLowerCase() === where)?.node.classList.add("aim");
  get("table").append(past);
  setTimeout(() => past.remove(), time);
}

/* Let a full trick lie in its places for a moment, its winner raised; then its cards go to the winner. */
function holdTrick(svg, before) {
  const slots = [...svg.querySelectorAll("[data-slot]")];
  if (!taken || !staying()) return;
  const moving = still.matches ? 0 : lasting(), whole = staying() + 2 * moving;
  if (taken.ending) {
    announce(taken.ending, whole);
    if (state.news) reading = letRead(whole);
    return showLaid(whole);
  }
  const faces = element("div");
  faces.innerHTML = taken.faces;
  const offsets = [0, moving, whole - moving, whole].map((time) => time / whole);
  for (const slot of slots) { // from the left: so the number of each card is seen
    const [seat, card] = taken.cards.find(([seat]) => slot.dataset.slot.toLowerCase() === seat.toLowerCase()) ?? [];
    const face = faces.querySelector(`[data-card="${card}"]`);
    if (!face) continue;
    const { x, y, height } = slot.getBBox(), place = `translate(${x}px, ${y}px) scale(${height / 140})`;
    const there = seat === taken.winner ? grown(place, 1.15) : place;
    const from = before.find(({ name }) => name === card) ?? before.findLast(({ where }) => where === `hand of ${slot.dataset.slot}`);
    const goal = lying.find(({ name, where }) => name === card && where.startsWith("trick "));
    const shown = copied(face, "flying"), size = height / 140 * svg.getScreenCTM().a;
    for (const name of shown.querySelectorAll("text")) if (parseFloat(name.style.fontSize) * size < 12) name.style.display = "none";
    shown.classList.toggle("aim", seat === taken.winner);
    optional(() => {
      const places = [from?.place ?? there, there, there, goal?.place ?? there];
      shown.animate(places.map((transform, at) => ({ transform, offset: offsets[at] })), { duration: whole }).onfinish = () => shown.remove();
      goal?.node.animate([{ opacity: 0 }, { opacity: 0 }], whole);
      svg.append(shown);
    });
  }
}

let fading = 0;

const holdBack = (isHeldBack) => {
  document.body.classList.toggle("reading", isHeldBack);
  for (const id of ["asked", "table"]) get(id).inert = isHeldBack;
};

let later = ""; // the line with which the next hand begins, until a person has read how this one ended
let isRead = false; // whether the news are asked for after which what was held back is shown

/* Ask nothing, take no answer, and tell nothing of the next hand, for so many milliseconds and until
   the news that came meanwhile. */
async function letRead(time) {
  isRead = false;
  later = fresh.findLast((line) => HAND.test(line)) ?? "";
  holdBack(true);
  showLog();
  await new Promise((resolve) => setTimeout(resolve, time));
  later = "";
  isRead = true;
}

/* Show what was held back, now that nothing newer is known. */
function goOnAfterReading() {
  if (!isRead) return;
  isRead = false;
  holdBack(false);
  showLog();
  showQuestion();
  hold();
}

/* Show a line in the place of the question, for so many milliseconds; it stands in the log too. */
function announce(text, time) {
  clearTimeout(fading);
  get("banner").textContent = text;
  get("banner").hidden = false;
  fading = setTimeout(() => { get("banner").hidden = true; }, time);
}
