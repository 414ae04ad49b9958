/* What follows the end of a game. */

let ended = "";

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
  for (const { decision, played, told } of found) {
    const item = element("li", `Move ${decision} of the replay: you played “${played}”. ${told}.`);
    item.append(" ", button("Play on from here", () => again({ move: decision })));
    list.append(item);
  }
  get("end").querySelector("ol, .fine")?.remove();
  get("end").append(found.length ? list : element("p", "No other move was clearly better than one of yours.", "fine"));
}
