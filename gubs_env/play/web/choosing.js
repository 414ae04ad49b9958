/* The choice of a move, pick by pick. What can be chosen comes with the news, as previews. */

let stages = [], busy = false;

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

/* Return the preview of a choice; of very many choices the server is asked for the later ones. */
const previewed = (picks) => state.previews[picks] ?? ask(`choose?size=${size()}`, { version: state.version, picks });

async function choose(picks, as = "move") {
  if (busy) return;
  if (stage().move && equal(stage().asked, picks)) return play();
  if (stage().move) stages.pop();
  const version = state.version;
  let preview = previewed(picks);
  if (preview instanceof Promise) {
    busy = true;
    preview = await preview;
    busy = false;
    if (!preview || state.version !== version) show();
    if (state.version !== version) return playForced();
    if (!preview) return;
  }
  stages.push(step(picks, preview));
  if (stage().move && get("quick").checked) return play(as);
  show();
}

/* Choose something else at the beginning of the move. */
function chooseFirst(picks) {
  if (busy) return;
  stages = [stages[0]];
  choose(picks);
}

/* Play the move that is chosen; of one that was forced, as `forced`, the news stay news. */
async function play(as = "move") {
  if (busy || !stage().move) return;
  busy = true;
  const version = state.version, played = await ask(`${as}?size=${size()}`, { version, picks: stage().picks });
  busy = false;
  if (played) say();
  if (state.version !== version) return playForced();
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
