/* The replay. The data, unpacked, have these keys:
   eyes: the viewers; agents: who sits in each seat, in words; style, symbols: the parts that all
   pictures share; lines: the first lines and the pieces of all pictures, sorted; frames[viewer]:
   for each frame, [number of lines kept at the beginning, number kept at the end, indices of the
   lines between …];
   small[viewer], low[viewer]: the same for phones, upright and lying; asked[viewer]: for each frame,
   the index of the sentence that says who decides what, which a small picture does not hold;
   log[viewer]: for each frame, the lines since the frame before; decisions: of each frame, or null;
   first: the viewer at the beginning; scale: what a winner and a loser are paid; even: the chance of
   winning where all players have the same, or null where not only the win is paid; cards: what each
   card of the game does, by its name; source: the file and the number of the game, if one can play on
   from it. */

const get = (id) => document.getElementById(id);
let data, eyes, seat, now = 0, timer = null;
const pieces = {};

async function unpack(text) {
  if (!globalThis.DecompressionStream) throw new Error("this browser is too old to unpack it");
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/* Return the indices of the lines of every frame, from the changes. */
function piecesOf(changes) {
  let before = [];
  return changes.map(([head, tail, ...between]) => {
    before = [...before.slice(0, head), ...between, ...before.slice(before.length - tail)];
    return before;
  });
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/* ------------------------------------------------------------------------------ the picture */

const SIZES = { low: "(min-width: 780px) and (max-height: 500px)", small: "(max-width: 719px), (max-height: 500px)" };
const windows = Object.entries(SIZES).map(([size, query]) => [size, optional(() => matchMedia(query), { matches: false })]);

/* Show the picture of a frame; with `moving`, its cards move to their places. */
function draw(frame, moving) {
  const group = get("pieces"), before = cardsIn(group);
  const [head, ...next] = pieces[windows.find(([, { matches }]) => matches)?.[0] ?? "frames"][eyes][frame];
  say("");
  get("asked").textContent = data.lines[data.asked[eyes][frame]];
  for (const name of ["viewBox", "width", "height", "aria-label"])
    group.ownerSVGElement.setAttribute(name, data.lines[head].match(` ${name}="([^"]*)"`)[1]);
  group.innerHTML = next.map((number) => data.lines[number]).join("");
  if (moving) moveCards(before, cardsIn(group));
  const ending = group.querySelectorAll(frame === data.decisions.length - 1 ? ".gt-stage" : "none");
  if (before.length) reveal(ending.length ? ending : group.querySelectorAll(".gt-turn"), moving);
}

/* ----------------------------------------------------------------------- decision, log, curve */

const percent = (p) => (p >= 0.0995 ? (100 * p).toFixed(0) : (100 * p).toFixed(1)) + " %";
const colourOf = (agent) => `var(--seat${agent.split("_")[1]})`;
const maySee = (decision) => decision && (eyes === decision.agent || eyes === "all hands");

function tellDecision() {
  const box = get("decision"), decision = data.decisions[now];
  box.replaceChildren();
  if (!maySee(decision)) {
    const over = now === data.decisions.length - 1;
    box.append(element("p", over ? "This is the last position." : "Somebody else decides."));
    return;
  }
  box.append(element("p", data.agents[decision.agent], "who"));
  if (decision.interrupt) box.append(element("p", "A moment to answer, out of turn", "interrupt"));
  box.append(element("p", `Question: ${decision.question}`, "question"), element("p", `Move: ${decision.move}`));
  if (decision.mistake) box.append(element("p", `▼ A mistake: ${decision.mistake}.`, "mistake"));
  if (decision.comparison) box.append(element("p", `${decision.comparison}.`));
  const { value, chance } = decision, payoff = value === null ? "" : `xpected payoff: ${signed(value)}`;
  const wins = chance === null ? "" : `Chance of winning: ${Math.round(100 * chance)} in 100`;
  if (payoff) box.append(element("p", !wins ? `E${payoff}` : SERVED ? wins : `${wins} (e${payoff})`));
  if (decision.choices.length) box.append(element("p", "How often a trained network chooses each move:", "key"));
  for (const [text, probability, chosen] of decision.choices) {
    const row = element("div", undefined, chosen ? "choice chosen" : "choice");
    const track = element("span", undefined, "track"), fill = element("span", undefined, "fill");
    fill.style.cssText = `width:${100 * probability}%;--c:${colourOf(decision.agent)}`;
    track.append(fill);
    row.append(element("span", (chosen ? "✓ " : "") + text), element("span", percent(probability), "p"), track);
    box.append(row);
  }
}

function fillLog() {
  const list = get("log");
  list.replaceChildren();
  data.log[eyes].forEach((lines, frame) => lines.forEach((line) => {
    const item = element("li", line);
    item.dataset.frame = frame;
    item.addEventListener("click", () => go(frame));
    list.append(item);
  }));
}

function markLog() {
  const list = get("log");
  let last = null;
  for (const item of list.children) {
    const frame = +item.dataset.frame;
    item.classList.toggle("now", frame === now);
    item.hidden = frame > now; // what comes later would tell the future
    if (frame <= now) last = item;
  }
  if (last) list.scrollTop = last.offsetTop - list.offsetTop - list.clientHeight / 2;
}

/* The chance of winning at a decision, or the expected payoff where not only the win is paid. */
const worth = (decision) => (data.even === null ? decision.value : decision.chance);

/* Return the height of a curve, of points [frame, value], at a frame. */
function between(points, frame) {
  const after = points.findIndex(([at]) => at >= frame), [end, high] = points.at(after), [start, low] = points[Math.max(0, after - 1)];
  return end > start ? low + (high - low) * (frame - start) / (end - start) : high;
}

function drawCurve() {
  const box = get("curve"), count = Math.max(1, data.decisions.length - 1), paths = [];
  const values = {};
  data.decisions.forEach((decision, frame) => {
    if (maySee(decision) && decision.value !== null)
      (values[decision.agent] ||= []).push([frame, worth(decision)]);
  });
  box.hidden = !Object.keys(values).length;
  if (box.hidden) return;
  const isChance = data.even !== null, what = isChance ? "Chance of winning" : "Expected payoff";
  const [win, loss] = isChance ? [1, 0] : data.scale, all = Object.values(values).flat().map(([, value]) => value);
  const high = Math.max(win, ...all), low = Math.min(loss, ...all);
  const isSparse = data.decisions.some((decision) => maySee(decision) && decision.value === null);
  const x = (frame) => 1000 * frame / count, y = (value) => 12 + 80 * (high - value) / (high - low);
  const plot = element("div", undefined, "plot"), levels = { [win]: "wins", [data.even ?? 0]: "", [loss]: "loses" };
  for (const [agent, points] of Object.entries(values)) {
    const line = points.map(([frame, value]) => `${x(frame).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
    paths.push(`<path d="M${line}" style="stroke:${colourOf(agent)}"/>`);
  }
  for (const level of Object.keys(levels)) paths.unshift(`<line class="grid" x1="0" x2="1000" y1="${y(level)}" y2="${y(level)}"/>`);
  data.decisions.forEach((decision, frame) => {
    if (maySee(decision) && decision.interrupt) paths.push(`<line class="window" x1="${x(frame)}" x2="${x(frame)}" y1="94" y2="100"/>`);
  });
  plot.innerHTML = `<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="${what} of each player">` +
    `${paths.join("")}<line class="at" id="at" y1="0" y2="100"/></svg>`;
  for (const [level, meaning] of Object.entries(levels)) {
    const label = element("span", isChance ? `${Math.round(100 * level)} %` : `${signed(+level)} ${meaning}`.trim(), "level");
    label.style.top = `${y(level)}%`;
    plot.append(label);
  }
  data.decisions.forEach((decision, frame) => {
    if (!maySee(decision) || !decision.mistake) return;
    const mark = element("span", "▼", "mark");
    mark.title = `Move ${frame}, ${data.agents[decision.agent]}: ${decision.move}. ${decision.mistake}.`;
    mark.style.cssText = `--c:${colourOf(decision.agent)};left:${x(frame) / 10}%;top:${y(between(values[decision.agent], frame))}%`;
    mark.addEventListener("click", () => go(frame));
    plot.append(mark);
  });
  plot.firstChild.addEventListener("click", (event) => {
    const place = plot.firstChild.getBoundingClientRect();
    go(Math.round(count * (event.clientX - place.left) / place.width));
  });
  const several = Object.keys(values).length > 1 ? ", each by what that player could know" : "";
  const key = element("p", `${what}, at ${isSparse ? "some of " : ""}their own decisions${several}: `, "key");
  for (const agent of Object.keys(values)) {
    const name = element("span", data.agents[agent], "line");
    name.style.setProperty("--c", colourOf(agent));
    key.append(name);
  }
  if (plot.querySelector(".window")) key.append(element("span", "| a moment to answer, out of turn"));
  key.append(element("span", plot.querySelector(".mark") ? `▼ a mistake: ${MISTAKE}` : "No mistake was found beyond doubt"));
  box.replaceChildren(plot, key);
}

const NAMES = { window: ["moment to answer", "A"], mistake: ["mistake", "M"] };
const MOMENTS = { window: ({ interrupt }) => interrupt, mistake: ({ mistake }) => mistake };
const MISTAKE = "another move is clearly better";

/* Return a payoff with its sign, and at most two decimals. */
const signed = (payoff) => (payoff > 0 ? "+" : payoff < 0 ? "−" : "") + +Math.abs(payoff).toFixed(2);

/* --------------------------------------------------------------------------------- playing on */

/* The game that serves this page, which can play on from a move; a file can only tell how to. */
const SERVED = location.pathname.endsWith("/after/replay");
const GAME = new URLSearchParams(location.search).get("game") || "";

/* Show the command that plays on from this move in the place of the viewer, or of who decides. */
function tellCommand() {
  const decision = data.decisions[now], seat = data.agents[eyes] ? eyes : decision?.agent;
  get("on").hidden = !decision || !(SERVED || data.source);
  get("take").href = `../#${new URLSearchParams({ from: now, game: GAME })}`;
  const place = `${data.source}:${now}`;
  get("on").querySelector("code").textContent =
    `gubs play --resume ${/^[\w./#:-]+$/.test(place) ? place : `"${place}"`} --humans ${seat}`;
}

async function copyCommand() {
  const code = get("on").querySelector("code");
  optional(() => getSelection().selectAllChildren(code));
  const copying = optional(() => navigator.clipboard.writeText(code.textContent).then(() => "Copied"), "Selected");
  get("copy").textContent = await Promise.resolve(copying).catch(() => "Selected");
  setTimeout(() => { get("copy").textContent = "Copy"; }, 2000);
}

/* ------------------------------------------------------------------------------- the controls */

function go(frame, moving = false) {
  const end = data.decisions.length - 1;
  frame = Math.max(0, Math.min(end, frame));
  draw(frame, moving);
  now = frame;
  get("scrub").value = now;
  get("scrub").setAttribute("aria-valuetext", `move ${now} of ${end}`);
  get("count").textContent = `${now} / ${end}`;
  for (const id of ["first", "back"]) get(id).disabled = now === 0;
  for (const id of ["next", "last"]) get(id).disabled = now === end;
  for (const what of Object.keys(MOMENTS)) {
    const button = get(what), found = next(what) !== undefined;
    button.disabled = !found;
    const [name, key] = NAMES[what];
    button.title = found ? `Next ${name} (${key})` : `No ${name} after this move`;
    if (found && what === "mistake") button.title += `: ${MISTAKE}`;
    if (found) button.removeAttribute("aria-label");
    else button.setAttribute("aria-label", `Next ${name}: none after this move`);
  }
  const at = get("at");
  if (at) for (const side of ["x1", "x2"]) at.setAttribute(side, 1000 * now / Math.max(1, end));
  tellDecision();
  tellCommand();
  markLog();
  if (now === end) pause();
}

/* Return the next frame with a window or a mistake that the viewer sees; undefined if none is left. */
function next(what) {
  const found = data.decisions.findIndex((decision, frame) => frame > now && maySee(decision) && MOMENTS[what](decision));
  return found < 0 ? undefined : found;
}

function pause() {
  clearInterval(timer);
  timer = null;
  showPlay("Play", "M2 1v10l8-5z");
}

/* Say what the button does, with a drawn shape: fonts may lack its character. */
function showPlay(name, shape) {
  get("play").setAttribute("aria-label", name);
  get("play").querySelector("span").textContent = name;
  get("play").querySelector("path").setAttribute("d", shape);
}

function play() {
  if (timer) return pause();
  if (now === data.decisions.length - 1) go(0);
  timer = setInterval(() => go(now + 1, true), +get("speed").value);
  showPlay("Pause", "M2 1h3v10H2zM7 1h3v10H7z");
}

function look(who) {
  if (data.agents[who]) seat = who;
  eyes = who;
  get("eyes").value = who;
  get("hands").setAttribute("aria-pressed", who === "all hands");
  for (const [what, is] of Object.entries(MOMENTS))
    get(what).hidden = !data.decisions.some((decision) => maySee(decision) && is(decision));
  fillLog();
  drawCurve();
  go(now);
  showHand();
}

/* In a small window, scroll to the lower end of the table, where the viewer's hand lies; all hands
   begin at the upper one. */
function showHand() {
  const box = get("table"), room = innerHeight - document.querySelector("nav").offsetHeight;
  box.scrollTop = eyes === "all hands" ? 0 : box.scrollHeight;
  if (getComputedStyle(box).position !== "sticky") scrollBy(0, Math.max(0, box.getBoundingClientRect().bottom - room));
}

const ACTIONS = {
  first: () => go(0), back: () => go(now - 1, true), play, next: () => go(now + 1, true),
  last: () => go(Infinity), window: () => goNext("window"), mistake: () => goNext("mistake"),
};
function goNext(what) {
  const at = next(what);
  if (at !== undefined) go(at);
  showMistake();
}

const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play", a: "window", A: "window", m: "mistake", M: "mistake" };

async function begin() {
  data = await unpack(get("data").textContent);
  for (const size of ["frames", "small", "low"])
    pieces[size] = Object.fromEntries(data.eyes.map((who) => [who, piecesOf(data[size][who])]));
  const asked = new URLSearchParams(location.hash.slice(1)); // as #move=12&eyes=player_1
  eyes = data.eyes.includes(asked.get("eyes")) ? asked.get("eyes") : data.first;
  get("table").innerHTML = `${data.lines[pieces.frames[eyes][0][0]]}${data.style}<defs>${data.symbols.join("")}</defs><g id="pieces"></g></svg>`;
  get("scrub").max = data.decisions.length - 1;
  for (const who of data.eyes) {
    const name = data.agents[who] || who;
    get("eyes").append(new Option(name, who, who === eyes, who === eyes));
  }
  get("hands").hidden = !data.eyes.includes("all hands");
  get("hands").addEventListener("click", () => look(eyes === "all hands" ? seat : "all hands"));
  cardTexts = new Map(Object.entries(data.cards));
  get("table").addEventListener("click", tell);
  get("said").addEventListener("click", () => say(""));
  document.addEventListener("pointerdown", hide, true);
  get("how").hidden = SERVED;
  get("take").hidden = !SERVED;
  get("copy").addEventListener("click", copyCommand);
  get("eyes").addEventListener("change", (event) => look(event.target.value));
  get("speed").addEventListener("change", () => { if (timer) { pause(); play(); } });
  get("scrub").addEventListener("input", (event) => { pause(); go(+event.target.value); });
  for (const [id, action] of Object.entries(ACTIONS))
    get(id).addEventListener("click", () => { if (id !== "play") pause(); action(); });
  document.addEventListener("keydown", (event) => {
    const action = KEYS[event.key];
    if (event.key === "Escape") say("");
    if (!action || event.target.matches("select, input") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target.matches("button")) return;
    event.preventDefault();
    if (action !== "play") pause();
    ACTIONS[action]();
  });
  now = Math.max(0, Math.min(data.decisions.length - 1, Number(asked.get("move")) || 0));
  seat = data.first;
  look(eyes);
  if (asked.has("move")) showMistake();
  for (const [, each] of windows) each.addEventListener?.("change", () => draw(now));
}

begin();
