/* The question with its answers, and what happened. */

const DOUBLE = 500; // milliseconds
const GOAL = "The goal"; // begins the first line for somebody who has not decided yet
const HAND = /^Hand \d+:/; // begins the line with which a hand of FUBNUB begins
let heard = null, keyboard = true, isOnTable = false; // where the last choice was made by keyboard
let ripening = 250, appeared = 0, pressed = null, pressedBefore = null; // see `isSecond`

/* The question with all its answers; if the person used the keyboard there, the focus stays. */
function showQuestion() {
  const at = stage(), box = get("moves"), decides = Boolean(state.moves?.length), asked = get("asked");
  const focus = document.activeElement;
  keyboard = box.contains(focus) || get("end").contains(focus) || (keyboard && focus === document.body);
  asked.style.minHeight = stages.length > 1 ? `${Math.min(asked.offsetHeight, get("panel").clientHeight / 2)}px` : ""; // the button that confirms stays
  asked.classList.toggle("own", decides);
  asked.hidden = state.over && Boolean(state.moves);
  const { move, question: asks } = isOnly() ? stages[0] : at;
  const question = get("question"), isInterrupt = state.interrupt && decides && !move;
  const aside = isInterrupt ? `It is ${state.interrupt}'s turn, but you are asked now.` : "";
  const words = move || (isPaused() ? `Paused. ${asks}` : asks.replace(/^You: /, ""));
  question.setAttribute("aria-live", decides ? "assertive" : "polite");
  if (question.textContent !== words + aside) question.replaceChildren(words, ...(aside ? [element("small", aside)] : []));
  get("forecast").hidden = !at.forecast;
  write(get("forecast"), at.forecast || "");
  box.replaceChildren(...(decides ? answers(at) : []));
  appeared = performance.now();
  rest(answerStops());
  get("aside").hidden = !decides || isOnly();
  get("aside").replaceChildren(...(stages.length > 1 ? ["Back ", element("kbd", "Esc")] : ["Hint"]));
  const group = isOnTable && !at.move ? get("table") : box;
  if (decides && (keyboard || at.move)) group.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
}

/* Return whether a click is the second one at a place where something has appeared a moment ago. */
function isSecond({ detail }, moment) {
  const isSame = pressedBefore && Math.hypot(pressed.clientX - pressedBefore.clientX, pressed.clientY - pressedBefore.clientY) < 12;
  return detail && isSame && performance.now() - appeared < moment;
}
addEventListener("pointerdown", ({ clientX, clientY, target }) => {
  const isAnswer = Boolean(target.closest?.("#moves button:not(.yes)"));
  [pressedBefore, pressed] = [pressed, { clientX, clientY, isAnswer }];
}, true);

/* The second click at an answer plays the move; it is not meant for what has just appeared there. */
get("panel").addEventListener("click", (event) => {
  const isTwice = stage()?.move && isSecond(event, DOUBLE) && pressedBefore.isAnswer;
  if (isTwice || (isSecond(event, ripening) && get("asked").contains(event.target))) event.stopPropagation();
  if (isTwice) play();
}, true);

/* A move without the card that the question names: "Lightning: discard …" as "Discard …", and
   "Cricket Song as Lure: …" as "As Lure: …". */
function short(text) {
  const named = / as [A-Z]/.exec(text);
  const rest = named ? text.slice(named.index + 1) : text.slice(text.indexOf(": ") + 1).trim();
  return rest[0].toUpperCase() + rest.slice(1);
}

function answers(at) {
  if (at.move) {
    const yes = button(`${isOnly() ? at.move : "Confirm"} `, () => play(), "yes");
    yes.append(element("kbd", "Enter"));
    return [yes];
  }
  const held = new Set([...picksOf].filter(([node]) => node.dataset.where === "hand of you").map(([, picks]) => picks));
  const made = at.answers.map(([text, picks]) => {
    const words = stages.length > 1 ? short(text) : text, isHeld = held.size > 2 && held.has(picks);
    return button(words, () => {
      isOnTable = false;
      choose(picks);
    }, `${words.length > 44 ? "long" : ""}${isHeld ? " held" : ""}`);
  });
  return held.size > 2 ? [...made, element("span", "Tap a card of yours that glows.", "tap")] : made;
}

/* The lines of a log, each with what it explains. The first line about somebody else is marked: where
   there is little room, those that follow it stand beside it. */
function lineItems(lines, fresh = lines.length) {
  let last = "";
  return lines.map(([line, clause], index) => {
    const who = [...state.seats.map(({ name }) => name), "ghost"].find((name) => line.startsWith(`${name} `)) ?? last;
    const item = element("li", line, [index >= fresh && "new", HAND.test(line) && "hand", who !== last && "first", sentences([line]) === `${line} ` && "closed"].filter(Boolean).join(" "));
    last = who;
    if (clause) item.append(element("small", clause));
    return item;
  });
}

/* What happened, with the rule of each card that is new in it; or the whole game. */
function showLog() {
  const asked = get("whole").getAttribute("aria-expanded") === "true", whole = !state.news || (asked && state.log.length > 0);
  const known = whole ? state.log.map((line) => [line, ""]) : state.news;
  const next = later ? known.findLastIndex(([line]) => line === later) : -1;
  const lines = next < 0 ? known : known.slice(0, next);
  const isBeginning = Boolean(lines[0]?.[0].startsWith(GOAL));
  get("account-title").textContent = whole ? "The game so far" : isBeginning ? "Welcome" : "Since your last turn";
  get("whole").hidden = !state.news;
  get("whole").textContent = asked ? "✕ Close the log" : "Whole game";
  const list = get("log");
  list.replaceChildren(...lineItems(lines, whole ? heard : undefined));
  if (!lines.length) list.append(element("li", "Nothing yet."));
  showNewest();
}

/* Scroll the log to its newest line; one that is higher than the log is read from its beginning, and
   so is the goal of the game. A phone leaves out the rules of the cards, the oldest first, until it fits. */
function showNewest() {
  const log = get("log");
  const ruled = [...log.children].filter((item) => item.querySelector("small"));
  for (const item of ruled) item.classList.remove("brief");
  for (const item of ruled) item.classList.toggle("brief", log.scrollHeight > log.clientHeight);
  const { firstElementChild: first, lastElementChild: last } = log;
  const begins = first?.textContent.startsWith(GOAL) ? 0 : last?.offsetTop - first?.offsetTop || 0;
  log.scrollTop = Math.min(log.scrollHeight - log.clientHeight, begins);
}

/* Let screen readers say, once, what happened since they last did. */
function sayAloud() {
  const lines = state.log.slice(heard);
  heard = state.log.length;
  get("heard").append(...lines.map((line) => element("span", sentences([line]))));
  while (get("heard").childElementCount > lines.length + 20) get("heard").firstElementChild.remove();
}

/* Who plays, as "You" and "Ada, Bo beginner": those of one level together, so that eight have room. */
function byLevel(seats) {
  const levels = new Map(seats.some(({ level }) => !level) ? [["", []]] : []); // people first
  for (const seat of seats) levels.set(seat.level, [...(levels.get(seat.level) || []), seat]);
  return [...levels].map(([level, alike]) => {
    const item = element("li");
    item.append(element("b", alike.map(({ name }) => name).join(", ")), level ? ` ${level}` : "");
    item.title = alike.map(({ name, agent }) => (name === "You" ? "you" : `${name}: ${agent}`)).join(", ");
    return item;
  });
}

function showNews() {
  const decides = Boolean(state.moves?.length);
  get("title").textContent = state.game;
  document.body.classList.toggle("many", state.seats.length > 4);
  get("seats").replaceChildren(...byLevel(state.seats));
  get("file").textContent = [state.note, state.file && `The game is saved in ${state.file} after every move.`].filter(Boolean).join(" ");
  get("anew").hidden = !state.file || Boolean(state.guide) || state.seats.filter(({ level }) => !level).length > 1;
  get("before").hidden = !state.before?.length;
  get("before").replaceChildren("See again: ", ...(state.before ? gamesBefore() : []));
  get("guide").hidden = !state.guide;
  get("guide").textContent = state.guide || "";
  if (heard === null) heard = state.log.length;
  document.title = (decides ? "● " : "") + state.question;
  showLog();
  sayAloud();
}
