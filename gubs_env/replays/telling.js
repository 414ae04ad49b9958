/* The message over the page: what a card does, and a mistake whose words are not seen. */

let about = null, wasAbout = null, hiding; // the piece that is told, the one that was told before the press

/* Say something in the half of the table where its piece does not lie, and above the table what is
   about no piece; "" hides it. Beside a table, it is said at the end of the window. */
function say(text, piece = null) {
  const [table, nav] = [get("table"), document.querySelector("nav")].map((each) => each.getBoundingClientRect());
  const top = Math.max(table.top, nav.top > 0 ? 0 : nav.bottom), end = Math.min(table.bottom, nav.top);
  clearTimeout(hiding);
  about = piece;
  get("said").textContent = text;
  const place = piece?.getBoundingClientRect(), high = get("said").offsetHeight;
  const isHigh = place && place.top + place.bottom < top + end;
  get("said").style.top = `${isHigh ? end - high - 8 : place ? top + 8 : Math.max(4, top - high)}px`;
}

/* Say what a card does, or what else was clicked on; a second click at it only hides it. */
function tell({ target }) {
  const hit = target.closest("[data-said], [data-card]");
  if (!hit || hit === wasAbout) return;
  pause(); // there is time to read it
  const { node, lying } = toldAt(hit), viewer = nameOf(eyes);
  say(lying + (textOf(node, viewer === "You" ? "You know" : `${viewer} knows`) || node.dataset.card), hit);
}

/* Return what a player is called, without their level. */
const nameOf = (player) => (data.agents[player] ?? "").split(", ")[0];

/* Hide the message wherever the page is pressed. */
function hide({ target }) {
  if (get("said").contains(target)) return; // its own click does, so that nothing beneath it is hit
  wasAbout = about;
  say("");
}

/* Tell a mistake for some seconds where its words are not seen, as on a phone: the table stays in view. */
function showMistake() {
  const told = get("decision").querySelector(".mistake"), place = told?.getBoundingClientRect();
  if (!told || told.contains(document.elementFromPoint(place.left + 2, place.bottom - 2))) return;
  const { agent, move } = data.decisions[now];
  say(`${nameOf(agent)}: ${move}. ${told.textContent}`);
  hiding = setTimeout(() => say(""), 8000);
}
