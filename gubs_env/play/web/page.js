/* A game under way. `news` sends the page, which holds only what its viewer may know. A person sends
   moves as their picks. A watcher has `controls` in place of `moves`, and sends the pace. */

const DELAYS = [0, 0.2, 0.5, 1, 2, 5]; // seconds
const get = (id) => document.getElementById(id);
let state = null, cardTexts = new Map(), chosen = [], heard = 0, sending = false, lying = null, keyboard = false;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function send(path, message) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/* Send a message; show why it was refused, or the text that `told` makes of the answer. */
async function ask(path, message, told = () => "") {
  try {
    get("said").textContent = told(await send(path, message));
    return true;
  } catch (error) {
    get("said").textContent = error.message;
    return false;
  }
}

/* ------------------------------------------------------------------------------- choosing */

const begins = (picks) => chosen.every((pick, index) => picks[index] === pick);
const fitting = () => (state.moves || []).filter(([, picks]) => begins(picks));

/* A move is played once all its picks are chosen: a card is chosen before its only target. */
async function choose(pick) {
  chosen.push(pick);
  const whole = fitting().find(([, picks]) => picks.length === chosen.length);
  if (whole) return play(whole[1]);
  show();
}

async function play(picks) {
  if (sending) return;
  sending = true;
  const version = state.version, played = await ask("move", { version, picks });
  sending = false;
  if (state.version !== version) return; // the news came first
  chosen = [];
  if (!played) show();
}

function takeBack() {
  if (!chosen.length || sending) return;
  chosen = [];
  show();
}

/* ----------------------------------------------------------------------------------- pace */

const steer = (changes) => ask("controls", { ...state.controls, ...changes });
const PACE = {
  play: () => steer({ paused: !state.controls.paused }),
  next: () => ask("next", {}),
};
const KEYS = { " ": "play", ArrowRight: "next" };

function showControls() {
  const { paused, delay } = state.controls, select = get("delay");
  get("play").textContent = paused ? "▶ Play" : "⏸ Pause";
  get("play").disabled = state.over;
  get("next").disabled = state.over || !paused;
  const delays = [...new Set([...DELAYS, delay])].sort((a, b) => a - b);
  select.replaceChildren(...delays.map((each) => new Option(each, each, false, each === delay)));
}

/* -------------------------------------------------------------------------------- showing */

function show() {
  showTable();
  get("choosing").hidden = !state.moves;
  get("controls").hidden = !state.controls;
  if (state.moves) showMoves();
  if (state.controls) showControls();
  get("chosen").hidden = !chosen.length;
}

/* Every piece that names a next pick can be clicked, tapped, or reached with the keyboard. */
function showTable() {
  const box = get("table"), focused = document.activeElement?.dataset?.action, before = lying;
  box.innerHTML = state.open || state.picture;
  const svg = box.firstElementChild, next = new Map();
  lying = cardsIn(svg);
  for (const [text, picks] of fitting()) {
    const pick = picks[chosen.length];
    next.set(pick, [...(next.get(pick) || []), text]);
  }
  if (next.size) svg.setAttribute("role", "group");
  for (const node of svg.querySelectorAll("[data-card]")) explain(node);
  for (const node of svg.querySelectorAll("[data-action]")) {
    const texts = next.get(+node.dataset.action);
    if (texts) makeButton(node, texts);
    if (texts && focused === node.dataset.action) node.focus();
  }
  if (!before) centre(box);
  reveal(box);
  if (before) moveCards(before, lying);
}

/* If a narrow screen hides everything that can be played, scroll the table to some of it. */
function reveal(box) {
  const seen = box.getBoundingClientRect();
  const spots = [...box.querySelectorAll(".may")].map((node) => node.getBoundingClientRect());
  if (!spots.length || spots.some((spot) => spot.left >= seen.left && spot.right <= seen.right)) return;
  const last = spots.at(-1);
  box.scrollLeft += (last.left + last.right - seen.left - seen.right) / 2;
}

/* Say what a card does: when the mouse rests on it, when it is clicked, and when it has the focus. */
function explain(node) {
  const text = cardTexts.get(node.dataset.card);
  if (!text) return;
  const title = document.createElementNS(node.namespaceURI, "title");
  title.textContent = text;
  node.append(title);
  for (const event of ["click", "focus"]) node.addEventListener(event, () => { get("said").textContent = text; });
}

function makeButton(node, texts) {
  const act = () => choose(+node.dataset.action), name = node.dataset.card || node.dataset.where || "";
  node.classList.add("may");
  node.setAttribute("tabindex", "0");
  node.setAttribute("role", "button");
  node.setAttribute("aria-label", texts.length === 1 ? texts[0] : `${name}: ${texts.length} moves`);
  node.addEventListener("click", (event) => { event.stopPropagation(); act(); });
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
  });
}

/* If the person used the keyboard in the list, keep the focus there at their next decision. */
function showMoves() {
  const list = get("moves"), moves = fitting();
  keyboard = list.contains(document.activeElement) || (keyboard && document.activeElement === document.body);
  list.replaceChildren();
  for (const [text, picks] of moves) {
    const item = element("li"), button = element("button", text);
    button.addEventListener("click", () => play(picks));
    item.append(button);
    list.append(item);
  }
  if (!moves.length) list.append(element("li", state.over ? "The game is over." : "Somebody else decides."));
  get("hint").disabled = !moves.length;
  if (keyboard) list.querySelector("button")?.focus({ preventScroll: true });
}

function showNews() {
  const own = (seat, name) => state.moves && seat === state.eyes ? "you" : name;
  const names = Object.entries(state.names).map(([seat, name]) => `${seat} (${own(seat, name)})`);
  get("title").textContent = state.game;
  get("names").textContent = names.join(" · ") + (state.controls ? `, seen by ${state.eyes}` : "");
  const question = get("question"), decides = Boolean(state.moves?.length);
  question.setAttribute("aria-live", state.moves ? "assertive" : "polite");
  question.textContent = [state.interrupt ? "Out of turn —" : "", state.question, state.result, state.note].join(" ").trim();
  question.classList.toggle("own", decides);
  document.title = (decides ? "● " : "") + state.question;
  const list = get("log");
  if (list.children.length === state.log.length) return;
  list.replaceChildren(...state.log.map((line, index) => element("li", line, index >= heard ? "new" : "")));
  list.scrollTop = list.scrollHeight;
  heard = state.log.length;
}

/* --------------------------------------------------------------------------------- waiting */

/* After a lost connection another process may answer, which counts the versions anew. */
async function listen() {
  let shown = -1;
  for (;;) {
    try {
      const answer = await fetch(`news?version=${shown}`);
      if (!answer.ok) throw new Error(await answer.text());
      const told = await answer.json();
      get("connection").hidden = true;
      if (told.version !== shown) {
        state = told;
        shown = told.version;
        chosen = [];
        if (!sending) get("said").textContent = "";
        showNews();
        show();
      }
      if (state.over) return;
    } catch {
      shown = -1;
      get("connection").hidden = false;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

get("back").addEventListener("click", takeBack);
get("hint").addEventListener("click", () => {
  get("said").textContent = "Thinking …";
  ask("hint", {}, (told) => told.hint);
});
get("show-rules").addEventListener("click", () => { get("rules").showModal(); get("rules").scrollTop = 0; });
get("rules").addEventListener("click", (event) => { if (event.target === get("rules")) get("rules").close(); });

/* Each line "- Lure ×8, Hazard: …" of the rules says what a card does. */
async function readRules() {
  const rules = await (await fetch("rules")).text();
  get("rules").querySelector("pre").textContent = rules;
  for (const line of rules.split("\n").filter((each) => each.startsWith("- ")))
    cardTexts.set(line.slice(2).split(/ ×|:/)[0], line.slice(2));
}

for (const [id, act] of Object.entries(PACE)) get(id).addEventListener("click", act);
get("delay").addEventListener("change", (event) => steer({ delay: +event.target.value }));
document.addEventListener("keydown", (event) => {
  if (get("rules").open || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") takeBack();
  const id = state?.controls && !event.target.matches("button, select, #log") && KEYS[event.key];
  if (!id || get(id).disabled) return;
  event.preventDefault();
  PACE[id]();
});
readRules().catch(() => {}).then(listen);
