/* The page asks for news and is answered at once, often while something goes on. A request that stays
   open would take one of the six connections that a browser has for all tabs of a game. */

const LOST = "The server of the game cannot be reached. If it has ended, the terminal said why, and how to go on. "
  + "This page goes on by itself when the server is back.";
const REST = { least: 40, most: 1000, hidden: 3000, refused: 5000, read: 2600 }; // milliseconds from answer to question
const PATIENCE = 20000; // milliseconds

let quiet = 0, due = false, wake = () => {};

async function listen() {
  let stopped = "", isTold = false;
  for (;;) {
    await reading;
    due = false;
    let pause = Infinity;
    try {
      const before = state, drawn = size(), version = state?.drawn === drawn ? state.version : -1;
      const told = await send(`news?version=${version}&size=${drawn}`, undefined, PATIENCE);
      quiet = told ? 0 : quiet + 1;
      pause = document.hidden ? REST.hidden : Math.min(REST.most, REST.least * 1.25 ** quiet);
      stopped = "";
      if (told && state !== before) due = true; // newer news may have come first, with an answer
      else if (told) await take({ ...told, drawn });
      if (told || isTold) trouble(state?.trouble || "");
      get("retry").hidden = true;
      isTold = false;
    } catch (error) {
      if (error.status === 503) stopped = error.message; // the server is about to end
      if (error.status !== 500) pause = error.status ? REST.refused : REST.most;
      if (error.status === undefined) failed(error);
      else trouble(error.status ? error.message : stopped || LOST);
      isTold = error.status !== undefined;
      get("retry").hidden = !isTold;
      get("asked").hidden ||= !state;
    }
    if (due) continue;
    goOnAfterReading();
    await new Promise((resolve) => {
      wake = resolve;
      if (pause < Infinity) setTimeout(resolve, pause);
    });
  }
}

/* Ask for news now. */
function look() {
  due = true;
  quiet = 0;
  wake();
}

/* What a page shows beside the pace. */
const shownIn = ({ version, controls, ...page }) => JSON.stringify(page);

async function take(told) {
  const before = state;
  state = told;
  if (told.version === before?.version) return told.drawn === before.drawn ? undefined : redraw();
  if (before && shownIn(told) === shownIn(before)) return showPace(); // nothing is taken from under a finger
  stages = [root(), ...onlyMove()];
  if (!busy && before) say();
  fresh = before && before.name === told.name && before.eyes === told.eyes ? told.log.slice(before.log.length) : [];
  taken = fresh.length && told.trick?.number !== before.trick?.number ? told.trick : undefined;
  showNews();
  show();
  hear(before?.moves?.length);
  fresh = [];
  taken = undefined;
  if (!before) playOn();
  playForced();
}

/* Draw the table for a window of another size; what has been chosen stays. */
async function redraw() {
  const { version } = state;
  stages[0].picture = state.picture;
  get("asked").style.minHeight = "";
  for (const at of stages.slice(1)) {
    const preview = await previewed(at.asked);
    if (preview && state.version === version) Object.assign(at, step(at.asked, preview));
  }
  lying = null;
  showTable();
}

/* A replay links to `#from=12&game=NAME` to play on from a move of a game of this table. */
function playOn() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!asked.has("from")) return;
  optional(() => history.replaceState(null, "", location.pathname));
  again({ move: +asked.get("from"), game: asked.get("game") || state.name });
}

async function playForced() {
  if (!get("auto").checked || isReading() || state?.moves?.length !== 1) return;
  if (!stage().move) await pick(state.moves[0][1]);
  await play("forced");
}
