/* The choice of a move, pick by pick. */

let stages = [], busy = false;

/* The steps of the move that is being chosen: the decision, then one for each choice. A complete
   move is shown with its last step's choices, so that another one can be taken. */
const stage = () => stages.at(-1);
const choices = () => (stage().move ? stages.at(-2) : stage()).answers;
const equal = (a, b) => a.length === b.length && a.every((pick, index) => pick === b[index]);
const root = () => ({ picks: [], answers: state.moves || [], picture: state.picture, question: state.question });

async function choose(picks) {
  if (busy) return;
  if (stage().move && equal(stage().asked, picks)) return play();
  if (stage().move) stages.pop();
  busy = true;
  const version = state.version, next = await ask(`choose?size=${size()}`, { version, picks });
  busy = false;
  if (!next || state.version !== version) show();
  if (state.version !== version) return playForced();
  if (!next) return;
  stages.push({ ...next, asked: picks });
  if (next.move && get("quick").checked) return play();
  show();
}

async function play() {
  if (busy || !stage().move) return;
  busy = true;
  const version = state.version, played = await ask("move", { version, picks: stage().picks });
  busy = false;
  if (state.version !== version) return playForced(); // the news came first, while it was busy
  stages = [root()];
  if (!played) show();
}

function back() {
  if (stages.length < 2 || busy) return;
  stages.pop();
  if (stages.length === 1) say();
  show();
}

async function hint() {
  say("Thinking …");
  const told = await ask("hint", {});
  if (told) say(told.hint);
}
