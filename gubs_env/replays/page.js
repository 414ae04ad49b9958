/* The replay. The data, unpacked, have these keys:
   eyes: the viewers; agents: the agent in each seat; style, symbols: the parts that all pictures
   share; lines: the first line and the pieces of every picture; frames[viewer]: for each frame,
   [number of lines kept at the beginning, number kept at the end, indices of the lines between …];
   log[viewer]: for each frame, the lines since the frame before; decisions: of each frame, or null. */

const get = (id) => document.getElementById(id);
let data, pieces, eyes, now = 0, timer = null;

async function unpack(text) {
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

/* Show the picture of a frame; with `moving`, its cards move to their places. */
function draw(frame, moving) {
  const group = get("pieces"), before = cardsIn(group), [head, ...next] = pieces[eyes][frame];
  for (const name of ["viewBox", "height", "aria-label"])
    group.ownerSVGElement.setAttribute(name, data.lines[head].match(` ${name}="([^"]*)"`)[1]);
  group.innerHTML = next.map((number) => data.lines[number]).join("");
  if (moving) moveCards(before, cardsIn(group));
}

/* ----------------------------------------------------------------------- decision, log, curve */

const percent = (p) => (p >= 0.0995 ? (100 * p).toFixed(0) : (100 * p).toFixed(1)) + " %";
const maySee = (decision) => decision && (eyes === decision.agent || eyes === "all hands");

function tellDecision() {
  const box = get("decision"), decision = data.decisions[now];
  box.replaceChildren();
  if (!maySee(decision)) {
    const over = now === data.decisions.length - 1;
    box.append(element("p", over ? "This is the last position." : "Somebody else decides."));
    return;
  }
  box.append(element("p", `${decision.agent} (${data.agents[decision.agent]})`, "who"));
  if (decision.interrupt) box.append(element("p", "Asked out of turn", "interrupt"));
  box.append(element("p", `Question: ${decision.question}`), element("p", `Move: ${decision.move}`));
  if (decision.value !== null) box.append(element("p", `Expected payoff: ${decision.value.toFixed(2)}`));
  for (const [text, probability, chosen] of decision.choices) {
    const row = element("div", undefined, chosen ? "choice chosen" : "choice");
    const track = element("span", undefined, "track"), fill = element("span", undefined, "fill");
    fill.style.width = `${100 * probability}%`;
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
    item.classList.toggle("later", frame > now);
    if (frame <= now) last = item;
  }
  if (last) list.scrollTop = last.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function drawCurve() {
  const box = get("curve"), count = Math.max(1, data.decisions.length - 1), paths = [];
  const values = {};
  data.decisions.forEach((decision, frame) => {
    if (maySee(decision) && decision.value !== null)
      (values[decision.agent] ||= []).push([frame, decision.value]);
  });
  box.hidden = !Object.keys(values).length;
  if (box.hidden) return;
  const most = Math.max(1, ...Object.values(values).flat().map(([, value]) => Math.abs(value)));
  const y = (value) => 50 - 46 * value / most;
  for (const [agent, points] of Object.entries(values)) {
    const line = points.map(([frame, value]) => `${(1000 * frame / count).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
    paths.push(`<path d="M${line}" style="stroke:var(--seat${agent.split("_")[1]})"/>`);
  }
  box.innerHTML = `<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="Expected payoff of each player">` +
    `<line class="grid" x1="0" x2="1000" y1="50" y2="50"/>${paths.join("")}<line class="at" id="at" y1="0" y2="100"/></svg>`;
  const key = element("p", "Expected payoff, at their own decisions: ", "key");
  for (const agent of Object.keys(values)) {
    const name = element("span", `${agent} (${data.agents[agent]})`);
    name.style.setProperty("--c", `var(--seat${agent.split("_")[1]})`);
    key.append(name);
  }
  box.append(key);
  box.firstChild.addEventListener("click", (event) => {
    const place = box.firstChild.getBoundingClientRect();
    go(Math.round(count * (event.clientX - place.left) / place.width));
  });
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
  get("window").disabled = nextWindow() === undefined;
  const at = get("at");
  if (at) for (const side of ["x1", "x2"]) at.setAttribute(side, 1000 * now / Math.max(1, end));
  tellDecision();
  markLog();
  if (now === end) pause();
}

const nextWindow = () => data.decisions.findIndex((d, frame) => frame > now && d?.interrupt && maySee(d)) + 1 || undefined;

function pause() {
  clearInterval(timer);
  timer = null;
  get("play").textContent = "▶ Play";
  get("play").setAttribute("aria-label", "Play");
}

function play() {
  if (timer) return pause();
  if (now === data.decisions.length - 1) go(0);
  timer = setInterval(() => go(now + 1, true), +get("speed").value);
  get("play").textContent = "⏸ Pause";
  get("play").setAttribute("aria-label", "Pause");
}

function look(who) {
  eyes = who;
  fillLog();
  drawCurve();
  go(now);
}

const ACTIONS = {
  first: () => go(0), back: () => go(now - 1, true), play, next: () => go(now + 1, true),
  last: () => go(Infinity), window: () => { const at = nextWindow(); if (at) go(at - 1); },
};
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play", w: "window", W: "window" };

async function begin() {
  data = await unpack(get("data").textContent);
  pieces = Object.fromEntries(data.eyes.map((who) => [who, piecesOf(data.frames[who])]));
  const asked = new URLSearchParams(location.hash.slice(1)); // as #move=12&eyes=player_1
  eyes = data.eyes.includes(asked.get("eyes")) ? asked.get("eyes") : data.eyes[data.eyes.length - 1];
  get("table").innerHTML = `${data.lines[0]}${data.style}<defs>${data.symbols.join("")}</defs><g id="pieces"></g></svg>`;
  get("scrub").max = data.decisions.length - 1;
  for (const who of data.eyes) {
    const name = data.agents[who] ? `${who} (${data.agents[who]})` : who;
    get("eyes").append(new Option(name, who, who === eyes, who === eyes));
  }
  get("window").hidden = !data.decisions.some((decision) => decision?.interrupt);
  get("eyes").addEventListener("change", (event) => look(event.target.value));
  get("speed").addEventListener("change", () => { if (timer) { pause(); play(); } });
  get("scrub").addEventListener("input", (event) => { pause(); go(+event.target.value); });
  for (const [id, action] of Object.entries(ACTIONS))
    get(id).addEventListener("click", () => { if (id !== "play") pause(); action(); });
  document.addEventListener("keydown", (event) => {
    const action = KEYS[event.key];
    if (!action || event.target.matches("select, input") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target.matches("button")) return;
    event.preventDefault();
    if (action !== "play") pause();
    ACTIONS[action]();
  });
  look(eyes);
  go(Number(asked.get("move")) || 0);
  centre(get("table"));
}

begin();
