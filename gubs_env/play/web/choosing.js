/* The choice of a move, pick by pick. What can be chosen comes with the news, as previews. */

let stages = [], busy = false, lastHint = {};

/* The steps of the move that is being chosen: the decision, then one for each choice. A complete
   move is shown with its last step's choices, so that another one can be taken. */
const stage = () => stages.at(-1);
const choices = () => (stage().move ? stages.at(-2) : stage()).answers;
const equal = (a, b) => a.length === b.length && a.every((pick, index) => pick === b[index]);
const root = () => ({ picks: [], pieces: [], answers: state.moves || [], picture: state.picture, question: state.question });

/* Return the step of a choice, from its preview. */
function step(asked, preview) {
  const lines = state.picture.split("\n");
  for (const [first, count, come] of preview.changes) lines.splice(first, count, ...come);
  return { ...preview, asked, picture: lines.join("\n") };
}

/* The step of the only move that is possible, which is chosen already. */
function onlyMove() {
  const [picks] = state.moves?.length === 1 ? state.moves.map(([, picks]) => picks) : [], preview = picks && state.previews[picks];
  return preview?.move ? [step(picks, preview)] : [];
}

const isOnly = () => Boolean(stage().move) && stages.length === 2 && choices().length === 1;

/* Return the preview of a choice; of very many choices the server is asked for the later ones. */
const previewed = (picks) => state.previews[picks] ?? ask(`choose?size=${size()}`, { version: state.version, picks });

/* Wait for an answer of the server; until it comes nothing else is chosen. */
async function waitFor(answer) {
  busy = true;
  document.body.classList.add("busy");
  const told = await answer;
  document.body.classList.remove("busy");
  busy = false;
  return told;
}

/* Make a choice, and show what follows. */
async function pick(picks) {
  if (busy) return;
  if (stage().move) stages.pop();
  const version = state.version;
  let preview = previewed(picks);
  if (preview instanceof Promise) {
    preview = await waitFor(preview);
    if (state.version !== version) {
      show();
      return playForced();
    }
  }
  if (preview) stages.push(step(picks, preview));
  show();
}

/* Make a choice; one that is made again plays the move, and so does the last one, if people want it. */
async function choose(picks) {
  if (busy) return;
  if (stage().move && equal(stage().asked, picks)) return play();
  const version = state.version;
  await pick(picks);
  if (state.version === version && get("quick").checked) await play();
}

/* Choose something else at the beginning of the move. */
function chooseFirst(picks, by = choose) {
  if (busy) return;
  stages = [stages[0]];
  return by(picks);
}

/* Play the move that is chosen; of one that was forced, as `forced`, the news stay news. */
async function play(as = "move") {
  if (busy || !stage().move) return;
  const version = state.version, played = await waitFor(ask(`${as}?size=${size()}`, { version, picks: stage().picks }));
  if (played) say();
  if (state.version !== version) return playForced();
  stages = [root()];
  if (!played) show();
}

function back(to = stages.length - 1) {
  if (stages.length < 2 || isOnly() || busy) return;
  const undone = stages[to].asked;
  stages = stages.slice(0, to);
  if (stages.length === 1) say(...lastHint.version === state.version ? [lastHint.told] : []);
  show();
  goOnFrom(undone);
}

/* Let the keyboard go on from a choice that was taken back. */
function goOnFrom(picks) {
  const piece = [...picksOf].find(([node, each]) => equal(each, picks) && node.hasAttribute("tabindex"))?.[0];
  const answer = get("moves").children[stage().answers.findIndex(([, each]) => equal(each, picks))];
  if (document.activeElement.closest("#moves, #table")) (isOnTable ? piece : answer)?.focus({ preventScroll: true });
}

async function hint() {
  const version = state.version;
  say("Thinking …");
  lastHint = { version, told: "Thinking …" };
  get("said").scrollIntoView({ block: "nearest" }); // a phone's panel is higher than its place
  const told = await ask("hint", {});
  lastHint = told ? { version, told: told.hint } : {};
  if (told && state.version === version) say(told.hint);
}
