/* The end of a game: who won, how it came about, what to learn, and what can be done next. */

let ended = "";

function showEnd() {
  const box = get("end"), ends = state.over && Boolean(state.moves);
  const ending = ends ? state.log.join("\n") : "";
  box.hidden = !ends;
  document.body.classList.toggle("ended", ends);
  if (ending === ended) return;
  ended = ending;
  if (!ends) return;
  const level = element("select"), why = state.log.slice(-2, -1).filter((line) => line.endsWith(" ends the game"));
  level.setAttribute("aria-label", "Opponents");
  level.append(...[["same level", ""], ...JSON.parse(document.body.dataset.levels).map((each) => [each, each])]
    .map(([name, value]) => new Option(name, value)));
  box.replaceChildren(element("h2", state.result || "The game is over."),
    element("p", sentences([...why, state.question.replace(/^The game is over: /, "")])),
    element("p", "Tap a card on the table to read its name.", "tap"),
    button("Play again", () => again({ opponents: level.value }), "yes"), level,
    button("Play again, seats swapped", () => again({ opponents: level.value, swap: true })), replayAt("See the game again"));
  box.scrollTop = get("panel").scrollTop = 0;
  scrollTo(0, 0);
  if (keyboard) focusOn(box.firstChild);
  tellStory(ending);
}

const again = (wishes) => ask("again", { opponents: "", swap: false, game: state.name, move: null, ...wishes });
const about = (what, game = state.name) => `after/${what}?${new URLSearchParams({ game })}`;

/* Let the keyboard go on from a heading. */
function focusOn(heading) {
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/* Return a link to the replay of a game, at a move. */
function replayAt(text, move, game) {
  const link = element("a", text);
  link.href = about("replay", game) + (move === undefined ? "" : `#move=${move}`);
  link.target = "_blank";
  return link;
}

/* Return links to the replays of the games that were played at this table before, the last one first. */
function gamesBefore() {
  return state.before.map((game, at, { length }) => replayAt(at === length - 1 ? "The last game" : `Game ${at + 1}`, undefined, game)).reverse();
}

/* Tell how the game came about, and then, when it is found, what there is to learn. */
async function tellStory(ending) {
  const box = get("end"), learns = !state.guide, waiting = element("p", "Looking at the game …", "fine");
  box.append(waiting);
  const told = await send(about("ending")).catch(() => null);
  waiting.remove();
  if (ended !== ending) return;
  const lines = element("ul"), account = folded("What happened", lines);
  lines.append(...lineItems(state.log.map((line) => [line])));
  if (!told) return box.append(account);
  const lesson = element("section"), parts = [pointsOf(told), curveOf(told), lesson, changesOf(told), account, gamesSoFar(told)];
  box.append(...parts.filter(Boolean));
  if (!learns || !told.judged) return lesson.remove();
  lesson.append(element("p", "Looking at your decisions …", "fine"));
  const learnt = await send(about("mistakes")).catch(() => ({ found: [], none: "", seen: null }));
  if (ended !== ending) return;
  lesson.replaceChildren(...(learnt.found.length ? [element("h3", told.words.lesson)] : []), ...lessonsOf(learnt));
}

/* Who ended with what, best first. */
function pointsOf({ players }) {
  const table = element("table"), scored = players.some(({ score }) => score !== null);
  const ranked = [...players].sort((a, b) => b.won - a.won || b.score - a.score);
  for (const { name, won, called, score, things } of ranked) {
    const row = element("tr", undefined, won ? "won" : ""), head = element("th", name);
    head.scope = "row";
    if (won) head.append(" ", element("small", called));
    row.append(head);
    if (scored) row.append(element("td", score ?? ""));
    row.append(element("td", things.join(" · ") || (scored ? "nothing" : "")));
    table.append(row);
  }
  table.setAttribute("aria-label", "What everybody ended with");
  return table;
}

const inHundred = (chance) => Math.round(100 * chance);

/* The chance of winning over the game, and where it changed most. */
function curveOf({ curve, turn, even, words }) {
  if (curve.length < 2) return null;
  const figure = element("figure"), caption = element("figcaption", words.curve);
  const last = curve.at(-1)[0] || 1, x = (move) => (300 * move / last).toFixed(1), y = (chance) => (4 + 72 * (1 - chance)).toFixed(1);
  const line = curve.map(([move, chance]) => `${x(move)} ${y(chance)}`).join("L");
  const plot = element("div", undefined, "plot");
  plot.innerHTML = `<svg viewBox="0 0 300 80" preserveAspectRatio="none" role="img"><rect x="${x(turn.first)}" `
    + `width="${Math.max(3, x(turn.last) - x(turn.first))}" height="80"/><path class="even" d="M0 ${y(even)}H300"/><path d="M${line}"/></svg>`;
  plot.firstChild.setAttribute("aria-label", curve.map(([move, chance]) => `move ${move}: ${inHundred(chance)}`).join(", "));
  const share = element("span", even < 0.2 ? "" : `${inHundred(even)} %`); // it would touch the 0
  share.style.top = `calc(${y(even)}px - .8em)`;
  plot.append(element("span", "100 %"), share, element("span", "0"));
  const told = element("p");
  told.append(element("b", `${turn.told} `), sentences(turn.lines), replayAt("See it", turn.seen));
  figure.append(caption, plot, told);
  return figure;
}

/* The worst mistake, and behind it the others. */
function lessonsOf({ found, none, seen }) {
  if (!found.length) {
    const item = element("p", `${none} `, "fine");
    if (seen !== null) item.append(replayAt("See this move", seen));
    return [item];
  }
  const [first, ...others] = found.map(({ decision, told }) => {
    const item = element("p", `${told} `);
    item.append(replayAt("See this move", decision), " ", button("Play on from here", () => again({ move: decision })));
    return item;
  });
  return others.length ? [first, folded(`${others.length} more`, ...others)] : [first];
}

function folded(title, ...content) {
  const details = element("details");
  details.append(element("summary", title), ...content);
  return details;
}

/* How the points came about, move by move. */
function changesOf({ players, changes, words: { changes: title } }) {
  if (!players.some(({ score }) => score !== null) || !changes.length) return null;
  const list = element("ol");
  for (const [move, words, scores] of changes) {
    const item = element("li", sentences([words]));
    item.append(element("small", `${scores}. `), replayAt("See it", move));
    list.append(item);
  }
  return folded(title, list);
}

/* The games that this page remembers, against whom, and how they ended; null for the first. */
function gamesSoFar({ players }) {
  const place = `games ${location.pathname}`, known = optional(() => JSON.parse(localStorage.getItem(place)), {});
  const own = players.find((each) => each.own), others = players.filter((each) => each !== own);
  const against = [...new Set(state.seats.map(({ level }) => level).filter(Boolean))].sort().join(", ") || "people";
  known[state.name] = [`${state.game}, ${state.seats.length} players`, against, own?.won ? 1 / players.filter(({ won }) => won).length : 0,
    own?.score ?? null, Math.max(...others.map(({ score }) => score ?? 0))];
  optional(() => localStorage.setItem(place, JSON.stringify(known)));
  if (Object.keys(known).length < 2) return null;
  const rows = {};
  for (const [game, whom, share, score, best] of Object.values(known)) (rows[`${game}|${whom}`] ||= []).push([share, score, best]);
  const table = element("table"), head = element("tr");
  const isScored = Object.values(known).some((game) => game[3] !== null);
  head.append(...["Against", "Games", "Won", "Points"].slice(0, isScored ? 4 : 3).map((name) => element("th", name)));
  table.append(head);
  for (const [key, games] of Object.entries(rows)) {
    const row = element("tr"), sum = (column) => games.reduce((total, game) => total + game[column], 0);
    const points = games.some(([, score]) => score === null) ? "" : `${sum(1)} : ${sum(2)}`;
    row.append(...[key.replace("|", ": "), games.length, +sum(0).toFixed(1), points].slice(0, isScored ? 4 : 3).map((text) => element("td", text)));
    table.append(row);
  }
  return folded("Your games here", table, ...gamesBefore());
}
