"use strict";
/* One seat of a game. `news` tells what the seat may know; a move is sent as its picks. */

const get = (id) => document.getElementById(id);
let state = null, chosen = [], heard = 0, sending = false;

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

/* ------------------------------------------------------------------------------- choosing */

const begins = (picks) => chosen.every((pick, index) => picks[index] === pick);
const fitting = () => state.moves.filter(([, picks]) => begins(picks));

async function choose(pick) {
  chosen.push(pick);
  const left = fitting();
  if (left.length === 1) return play(left[0][1]);
  show();
}

async function play(picks) {
  if (sending) return;
  sending = true;
  try {
    await send("move", { version: state.version, picks });
    get("said").textContent = "";
  } catch (error) {
    get("said").textContent = error.message;
  }
  sending = false;
  chosen = [];
  show();
}

function takeBack() {
  if (!chosen.length) return;
  chosen = [];
  show();
}

/* -------------------------------------------------------------------------------- showing */

function show() {
  showTable();
  showMoves();
  get("chosen").hidden = !chosen.length;
  get("chosen").firstElementChild.textContent = chosen.length ? "You have begun a move." : "";
}

/* Every piece that names a next pick can be clicked, tapped, or reached with the keyboard. */
function showTable() {
  const box = get("table"), focused = document.activeElement?.dataset?.action;
  box.innerHTML = state.open || state.picture;
  const svg = box.firstElementChild, next = new Map();
  for (const [text, picks] of fitting()) {
    const pick = picks[chosen.length];
    next.set(pick, [...(next.get(pick) || []), text]);
  }
  if (next.size) svg.setAttribute("role", "group");
  for (const node of svg.querySelectorAll("[data-action]")) {
    const texts = next.get(+node.dataset.action);
    if (!texts) continue;
    node.classList.add("may");
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
    const name = node.dataset.card || node.dataset.where || "";
    node.setAttribute("aria-label", texts.length === 1 ? texts[0] : `${name}: ${texts.length} moves`);
    node.addEventListener("click", (event) => { event.stopPropagation(); choose(+node.dataset.action); });
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(+node.dataset.action); }
    });
    if (focused === node.dataset.action) node.focus();
  }
}

function showMoves() {
  const list = get("moves"), moves = fitting();
  list.replaceChildren();
  for (const [text, picks] of moves) {
    const item = element("li"), button = element("button", text);
    button.addEventListener("click", () => play(picks));
    item.append(button);
    list.append(item);
  }
  if (!moves.length) list.append(element("li", state.over ? "The game is over." : "It is not your decision."));
  get("hint").disabled = !state.moves.length;
}

function showNews() {
  const names = Object.entries(state.names).map(([seat, name]) => seat === state.seat ? `${seat} (you)` : `${seat} (${name})`);
  get("title").textContent = names.join(" · ");
  const question = get("question");
  question.textContent = (state.interrupt ? "Out of turn — " : "") + state.question;
  question.classList.toggle("own", state.moves.length > 0);
  document.title = (state.moves.length ? "● " : "") + state.question;
  const list = get("log");
  list.replaceChildren(...state.log.map((line, index) => element("li", line, index >= heard ? "new" : "")));
  list.scrollTop = list.scrollHeight;
  heard = state.log.length;
}

/* --------------------------------------------------------------------------------- waiting */

async function listen() {
  for (;;) {
    try {
      const answer = await fetch(`news?version=${state ? state.version : -1}`);
      if (!answer.ok) throw new Error(await answer.text());
      const told = await answer.json();
      get("connection").hidden = true;
      if (!state || told.version !== state.version) {
        state = told;
        chosen = [];
        showNews();
        show();
      }
      if (state.over) return;
    } catch {
      get("connection").hidden = false;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

get("back").addEventListener("click", takeBack);
get("hint").addEventListener("click", async () => {
  get("said").textContent = "Thinking …";
  try {
    get("said").textContent = (await send("hint", {})).hint;
  } catch (error) {
    get("said").textContent = error.message;
  }
});
get("rules").addEventListener("click", async () => {
  const page = get("page");
  if (!page.textContent) page.textContent = await (await fetch("rules")).text();
  page.hidden = !page.hidden;
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") takeBack(); });
listen();
