/* A game under way. `news` sends the page, which holds only what its viewer may know. A person
   chooses pick by pick (`choose` plays nothing), and confirms the whole move. */

const PACES = [["at once", 0], ["fast", 0.2], ["normal", 0.8], ["slow", 2], ["very slow", 5]]; // seconds
const get = (id) => document.getElementById(id);
let state = null, stages = [], cardTexts = new Map(), heard = 0, ended = "", busy = false, lying = null, keyboard = false;
let quiet = 0, due = false, wake = () => {};

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function button(text, act, className) {
  const made = element("button", text, className);
  made.addEventListener("click", act);
  return made;
}

/* The size of the table in pixels, for which the picture is drawn. */
function size() {
  const box = get("table");
  return `${Math.floor(box.clientWidth)}x${Math.floor(box.clientHeight)}`;
}

/* Return the answer to a request, or to a message; a failure has a `status`, 0 if nobody answered. */
async function send(path, message, patience = 0) {
  const failure = (status, reason) => Object.assign(new Error(reason), { status });
  const limit = new AbortController(), timer = patience && setTimeout(() => limit.abort(), patience);
  const posted = message === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message),
  };
  let answer, text;
  try {
    answer = await fetch(path, { signal: limit.signal, ...posted });
    text = await answer.text();
  } catch {
    throw failure(0, LOST);
  } finally {
    clearTimeout(timer);
  }
  const kind = answer.headers.get("Content-Type") || "";
  if (kind.startsWith("text/html"))
    throw failure(answer.status, `Something else than the game has answered, with status ${answer.status}: reload the page.`);
  if (!answer.ok) throw failure(answer.status, text);
  return kind.startsWith("application/json") ? JSON.parse(text) : text;
}

/* Send a message and return the answer; show why it was refused, and return undefined. */
async function ask(path, message) {
  try {
    return await send(path, message);
  } catch (error) {
    say(error.message);
  } finally {
    look();
  }
}

function say(...shown) {
  get("said").replaceChildren(...shown);
}

/* ------------------------------------------------------------------------------- choosing */

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

/* ----------------------------------------------------------------------------------- pace */

const steer = (changes) => ask("controls", { ...state.controls, ...changes });
const PACE = {
  play: () => steer({ paused: !state.controls.paused }),
  next: () => ask("next", {}),
};
const KEYS = { " ": "play", ArrowRight: "next" };

function showControls() {
  const { paused, delay } = state.controls;
  get("play").textContent = paused ? "Go on" : "Pause";
  get("play").disabled = state.over;
  get("next").hidden = !paused;
  get("next").disabled = state.over || Boolean(state.moves?.length);
  const known = PACES.some(([, seconds]) => seconds === delay) ? PACES : [...PACES, [`${delay} s`, delay]];
  get("delay").replaceChildren(...known.map(([name, seconds]) => new Option(name, seconds, false, seconds === delay)));
}

/* -------------------------------------------------------------------------------- showing */

function show() {
  showTable();
  showQuestion();
  showControls();
  showEnd();
}

/* Every piece that names a choice can be clicked or tapped; one piece for each by keyboard. */
function showTable() {
  const box = get("table"), focused = document.activeElement?.dataset?.action, before = lying;
  box.innerHTML = stage().picture;
  const svg = box.firstElementChild, last = new Map(), shown = new Map();
  lying = cardsIn(svg);
  for (const [text, picks] of choices()) shown.set(picks.at(-1), { text, picks });
  if (shown.size) svg.setAttribute("role", "group");
  for (const node of svg.querySelectorAll("[data-card], [data-said]")) explain(node);
  for (const node of svg.querySelectorAll("[data-action]")) {
    const choice = shown.get(+node.dataset.action);
    if (!choice) continue;
    node.classList.add("may");
    last.set(choice, node);
  }
  for (const target of stage().targets || [])
    for (const node of svg.querySelectorAll(`[data-action="${target}"]`)) node.classList.add("may", "aim");
  for (const [choice, node] of last) {
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", choice.text);
    if (focused === node.dataset.action) node.focus();
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(choice.picks); }
    });
  }
  if (before) moveCards(before, lying);
  if (before) reveal(svg.querySelectorAll(stage().targets?.length ? ".aim" : ".may"));
  else box.scrollTop = box.scrollHeight; // the viewer sits there
}

/* Scroll a table that is higher than its box to the first of some pieces, unless one is seen. */
function reveal(pieces) {
  const box = get("table").getBoundingClientRect();
  const isSeen = ({ top, bottom }) => top >= box.top - 1 && bottom <= box.bottom + 1;
  if (![...pieces].some((node) => isSeen(node.getBoundingClientRect()))) pieces[0]?.scrollIntoView({ block: "nearest" });
}

/* What lies on top counts; where that cannot be chosen, the seat or pile beneath it does. */
get("table").addEventListener("click", (event) => {
  const beneath = document.elementsFromPoint(event.clientX, event.clientY);
  const chosen = beneath.map((node) => node.closest?.("#table .may")).find(Boolean);
  const told = beneath.map((node) => node.closest?.("#table [data-card], #table [data-said]")).find(Boolean);
  const action = chosen && +chosen.dataset.action;
  const choice = chosen && choices().find(([, picks]) => picks.at(-1) === action);
  if (told && (!choice || stages.length === 1)) tell(told);
  if (choice) choose(choice[1]);
  else if (chosen && [stage().picks.at(-1), stage().taken].includes(action)) play();
  else if (chosen) stage().taken = action; // it followed by itself: who chooses it now has not confirmed it
});

/* Say what a card does: when the mouse rests on it, and when it is clicked or has the focus. */
function explain(node) {
  const text = node.dataset.said || cardTexts.get(node.dataset.card);
  if (!text) return;
  const title = document.createElementNS(node.namespaceURI, "title");
  title.textContent = text;
  node.append(title);
  node.setAttribute("tabindex", "0");
  node.addEventListener("focus", () => tell(node));
}

/* Show a card large, with its rule. */
function tell(hit) {
  // Of cards that lie on each other, the top one is told, with what lies at the place.
  const piled = hit.dataset.where?.startsWith("place") ? [...get("table").querySelectorAll(`[data-where="${CSS.escape(hit.dataset.where)}"]`)] : [];
  const node = piled.filter((each) => each.dataset.card).at(-1) || hit;
  const text = node.dataset.said || cardTexts.get(node.dataset.card) || node.dataset.card;
  const face = node.querySelector("use")?.getAttribute("href");
  if (!text) return;
  if (!node.dataset.card || !face) return say(text);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS(svg.namespaceURI, "use");
  svg.setAttribute("class", "gt");
  svg.setAttribute("viewBox", "0 0 100 140");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", face);
  svg.append(use);
  const lying = piled.length > 1 ? `${piled[0].getAttribute("aria-label")}. ` : "";
  say(svg, element("span", lying + text));
}

/* The question with all its answers; if the person used the keyboard there, the focus stays. */
function showQuestion() {
  const at = stage(), box = get("moves"), decides = Boolean(state.moves?.length), asked = get("asked");
  keyboard = box.contains(document.activeElement) || (keyboard && document.activeElement === document.body);
  asked.classList.toggle("own", decides);
  asked.hidden = state.over && Boolean(state.moves);
  const question = get("question");
  const words = at.move || at.question.replace(/^You: /, "");
  question.replaceChildren(words);
  if (state.interrupt && decides && !at.move) question.append(element("small", "It is not your turn, but you are asked now."));
  question.setAttribute("aria-live", decides ? "assertive" : "polite");
  get("forecast").hidden = !at.forecast;
  get("forecast").textContent = at.forecast || "";
  box.replaceChildren(...(decides ? answers(at) : []));
  get("aside").hidden = !decides;
  get("aside").replaceChildren(...(stages.length > 1 ? ["Back ", element("kbd", "Esc")] : ["Hint"]));
  if (keyboard || at.move) box.querySelector("button")?.focus({ preventScroll: true });
}

/* A move without the card that the question names: "Lightning: discard …" as "Discard …", and
   "Cricket Song as Lure: …" as "As Lure: …". */
function short(text) {
  const named = / as [A-Z]/.exec(text);
  const rest = named ? text.slice(named.index + 1) : text.slice(text.indexOf(": ") + 1).trim();
  return rest[0].toUpperCase() + rest.slice(1);
}

function answers(at) {
  if (at.move) {
    const yes = button("Play it ", play, "yes");
    yes.append(element("kbd", "Enter"));
    return [yes];
  }
  return at.answers.map(([text, picks]) => button(stages.length > 1 ? short(text) : text, () => choose(picks)));
}

/* What happened, with the rule of each card that is new in it; or the whole game. */
function showLog() {
  const whole = get("whole").getAttribute("aria-pressed") === "true" || !state.news;
  get("account-title").textContent = whole ? "The game so far" : "Since your last move";
  get("whole").hidden = !state.news;
  const lines = whole ? state.log.map((line) => [line, ""]) : state.news;
  const list = get("log");
  list.replaceChildren(...lines.map(([line, clause], index) => {
    const item = element("li", line, whole && index >= heard ? "new" : "");
    if (clause) item.append(element("small", clause));
    return item;
  }));
  if (!lines.length) list.append(element("li", "Nothing yet."));
  requestAnimationFrame(() => { list.scrollTop = list.scrollHeight; });
  heard = state.log.length;
}

function showNews() {
  const decides = Boolean(state.moves?.length);
  get("title").textContent = state.game;
  document.body.classList.toggle("many", state.seats.length > 4);
  get("seats").replaceChildren(...state.seats.map(({ name, level, agent }) => {
    const item = element("li");
    item.append(element("b", name), level ? ` ${level}` : "");
    item.title = name === "You" ? "you" : agent;
    return item;
  }));
  get("file").textContent = [state.note, state.file && `The game is saved in ${state.file} after every move.`].filter(Boolean).join(" ");
  get("guide").hidden = !state.guide;
  get("guide").textContent = state.guide || "";
  document.title = (decides ? "● " : "") + state.question;
  showLog();
}

/* ------------------------------------------------------------------------------- the end */

function showEnd() {
  const box = get("end"), ends = state.over && Boolean(state.moves);
  const ending = ends ? state.log.join("\n") : "";
  box.hidden = !ends;
  if (ending === ended) return;
  ended = ending;
  if (!ends) return;
  const level = element("select");
  level.setAttribute("aria-label", "Opponents");
  level.append(...[["the same opponents", ""], ...JSON.parse(document.body.dataset.levels).map((each) => [each, each])]
    .map(([name, value]) => new Option(name, value)));
  const replay = element("a", "Replay");
  replay.href = `after/replay?${new URLSearchParams({ game: state.name })}`;
  replay.target = "_blank";
  const result = element("p");
  result.append(element("b", state.result), ` ${state.question}`);
  box.replaceChildren(result, button("New game", () => again({ opponents: level.value }), "yes"),
    button("Change seats", () => again({ opponents: level.value, swap: true })), level,
    ...(state.guide ? [] : [button("Was that a mistake?", mistakes)]), replay);
}

const again = (wishes) => ask("again", { opponents: "", swap: false, game: state.name, move: null, ...wishes });

async function mistakes() {
  say("Looking at your decisions …");
  const found = await ask("after/mistakes");
  if (!found) return;
  say("");
  const list = element("ol");
  for (const { decision, played, better, chances, worths } of found) {
    const item = element("li", `Move ${decision} of the replay: you played “${played}”. The trained network plays “${better}” `
      + `${Math.round(100 * chances[1])} times in 100, and your move ${Math.round(100 * chances[0])} times.`);
    if (worths) item.append(` A search expects ${worths[1]} from it and ${worths[0]} from yours (1 is a win, −1 a loss).`);
    item.append(" ", button("Play on from here", () => again({ move: decision })));
    list.append(item);
  }
  get("end").querySelector("ol, .fine")?.remove();
  get("end").append(found.length ? list : element("p", "Nothing that the network would clearly have done otherwise.", "fine"));
}

/* --------------------------------------------------------------------------------- waiting */

/* The page asks for news and is answered at once, often while something goes on. A request that stays
   open would take one of the six connections that a browser has for all tabs of a game. */

const LOST = "The server of the game cannot be reached. If it has ended, the terminal said why, and how to go on. "
  + "This page goes on by itself when the server is back.";
const REST = { least: 150, most: 1000, hidden: 3000, refused: 5000 }; // milliseconds from answer to question
const PATIENCE = 20000; // milliseconds

async function listen() {
  let stopped = "", isTold = false;
  for (;;) {
    due = false;
    let pause = Infinity;
    try {
      const drawn = size(), version = state?.drawn === drawn ? state.version : -1;
      const told = await send(`news?version=${version}&size=${drawn}`, undefined, PATIENCE);
      quiet = told ? 0 : quiet + 1;
      pause = document.hidden ? REST.hidden : Math.min(REST.most, REST.least * 1.15 ** quiet);
      stopped = "";
      if (told) await take({ ...told, drawn });
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
    if (!due) await new Promise((resolve) => {
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

async function take(told) {
  const before = state;
  state = told;
  if (told.version === before?.version) return redraw();
  stages = [root()];
  if (!busy && before) say();
  showNews();
  show();
  if (!before) playOn();
  playForced();
}

/* Draw the table for a window of another size; what has been chosen stays. */
async function redraw() {
  const { version } = state;
  stages[0].picture = state.picture;
  for (const at of stages.slice(1))
    Object.assign(at, await send(`choose?size=${size()}`, { version, picks: at.asked }).catch(() => ({})));
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
  if (!get("auto").checked || state.moves?.length !== 1) return;
  await choose(state.moves[0][1]);
  await play();
}

let resizing = 0;
function resized() {
  clearTimeout(resizing);
  resizing = setTimeout(() => { if (state && state.drawn !== size()) look(); }, 150);
}
optional(() => new ResizeObserver(resized).observe(get("table")));
addEventListener("resize", resized);
for (const what of ["focus", "online", "visibilitychange"]) addEventListener(what, look);
get("retry").addEventListener("click", look);

/* Each line "- Lure ×8, Hazard: …" of the rules says what a card does. */
async function readRules() {
  const rules = await send("rules", undefined, PATIENCE);
  get("rules").querySelector("pre").textContent = rules;
  for (const line of rules.split("\n").filter((each) => each.startsWith("- ")))
    cardTexts.set(line.slice(2).split(/ ×|:/)[0], line.slice(2));
}

for (const [opener, dialog] of [["show-rules", "rules"], ["show-options", "options"]]) {
  get(opener).addEventListener("click", () => { get(dialog).showModal(); get(dialog).lastElementChild.scrollTop = 0; });
  get(dialog).addEventListener("click", (event) => { if (event.target === get(dialog)) get(dialog).close(); });
}
for (const id of ["quick", "auto"]) {
  get(id).checked = optional(() => localStorage.getItem(id)) === "yes";
  get(id).addEventListener("change", () => {
    optional(() => localStorage.setItem(id, get(id).checked ? "yes" : "no"));
    if (id === "auto") playForced();
  });
}
for (const [id, act] of Object.entries(PACE)) get(id).addEventListener("click", act);
get("delay").addEventListener("change", (event) => steer({ delay: +event.target.value }));
get("aside").addEventListener("click", () => (stages.length > 1 ? back() : hint()));
get("whole").addEventListener("click", () => {
  get("whole").setAttribute("aria-pressed", String(get("whole").getAttribute("aria-pressed") !== "true"));
  showLog();
});
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.altKey || event.metaKey || !state) return;
  if (event.key === "Escape") back();
  if (event.target.matches("button, select, input, #log, a")) return;
  if (event.key === "Enter" && stage().move) play();
  const id = KEYS[event.key];
  if (!id || get(id).disabled || get(id).hidden) return;
  event.preventDefault();
  PACE[id]();
});
readRules().catch((error) => { get("rules").querySelector("pre").textContent = error.message; }).then(listen);
