/* What has just happened, as motion and sound: where it happens, above the picture, in nobody's way. */

let fresh = []; // the lines about it, while the picture is shown for the first time

const lasting = () => Math.max(200, Math.min(500, 200 + 190 * state.controls.delay)); // milliseconds
const grown = (place, scale) => `${place} translate(50px, 70px) scale(${scale}) translate(-50px, -70px)`;
const path = (...places) => places.map((transform, index) => ({ transform, offset: index / (places.length - 1) }));
const told = (pattern) => fresh.map((line) => pattern.exec(line)).find(Boolean);

/* Return the name of the card that has answered another one, and the place where it meets it. */
function answering(before) {
  const table = before.findLast(({ where }) => where === "table")?.place;
  const [, answer] = told(/ (?:answers? with (?=.+: )|plays? (?=.+ on ))(.+?)(?:: | on )/) ?? [];
  return answer && table ? [answer, `${table} translate(36px, -22px)`] : [];
}

/* Return the frames of a card that moves in a way of its own (see `moveCards`). */
function flights(before) {
  const placeOf = (wanted) => before.findLast(({ where }) => where === wanted)?.place;
  const deck = placeOf("deck"), table = placeOf("table"), [answer, met] = answering(before);
  return ({ name, where, place, node }, from) => {
    const start = from?.place ?? (where === "Letters" || where.startsWith("hand of") ? deck : undefined);
    if (from && /^\w*,?/.exec(from.where)[0] === /^\w*,?/.exec(where)[0]) return undefined; // it only makes room
    if (node.querySelector(".gt-hoop")) return path(grown(place, 1.7), grown(place, 0.95), place); // a Ring closes
    if (state.over && /^(stack|discard pile) of/.test(where)) return [{ opacity: 0 }, { opacity: 1 }]; // all are turned up at once
    if (!start) return undefined;
    if (where === "Letters") return path(start, grown(place, 2.4), grown(place, 2.4), place); // it opens with weight
    if (where.startsWith("trick ") && staying()) return [{ opacity: 0 }, { opacity: 0 }]; // see `holdTrick`
    if (name === answer) return path(start, met, met, place); // it cancels what lies there
    if (answer && start === table) return path(start, start, `${start} rotate(6deg)`, place);
    if (where.startsWith("place") && name !== "Gub") return path(start, grown(place, 1.25), place); // it is laid on a Gub
    return path(start, place);
  };
}

/* Let an answer meet the card that it cancels, if both are gone then. */
function cancel(svg, before) {
  const [answer, met] = answering(before);
  if (still.matches || !answer) return;
  const gone = before.filter(({ name, where }) => (name === answer || where === "table") && !lying.some((card) => card.name === name));
  gone.sort((one, other) => (one.name === answer) - (other.name === answer)); // the answer lies above
  for (const { node, name, place } of gone) {
    const places = name === answer ? [place, met, met] : [place, place, `${place} rotate(6deg)`], copy = copied(node, "flying");
    const frames = places.map((transform, index) => ({ transform, opacity: index < 2 ? 1 : 0 }));
    optional(() => {
      copy.animate(frames, { duration: lasting(), easing: "ease-in-out" }).onfinish = () => copy.remove();
      svg.append(copy);
    });
  }
}

/* Let Lightning strike a hand, and the last Letter stop the game. */
function strike(svg, before) {
  if (still.matches) return;
  if (fresh.length && state.over)
    optional(() => svg.animate([{ filter: "none" }, { filter: "brightness(.6) saturate(.4)", offset: 0.5 }, { filter: "none" }], { duration: 500 }));
  if (!told(/^Lightning takes effect/)) return;
  const [, struck] = state.log.map((line) => /Lightning at (\w+)$/.exec(line)).findLast(Boolean) ?? [];
  const [, x, y] = /translate\(([-\d.]+)px, ([-\d.]+)px\)/.exec(before.find(({ where }) => where === `hand of ${struck}`)?.place) ?? [];
  if (!x) return;
  const bolt = shape("path", { class: "flying bolt", d: `M${+x + 50} ${y - 100}l-44 74h30l-32 70 66-92h-32l40-52z` });
  optional(() => {
    bolt.animate([{ opacity: 0 }, { opacity: 1 }, { opacity: 0.2 }, { opacity: 1 }, { opacity: 0 }], { duration: 450 }).onfinish = () => bolt.remove();
    svg.append(bolt);
  });
}

/* ---------------------------------------------------------------------------------- sounds */

const NOTES = { card: [[330, 0.05]], turn: [[523, 0.12], [659, 0.16]], answer: [[196, 0.16], [147, 0.2]], letter: [[880, 0.5]], end: [[262, 0.3], [330, 0.3], [392, 0.6]] };
let audio = null;

/* Play a few soft notes of NOTES, one after another, if the person wants sounds. */
function sound(name) {
  if (!get("sounds").checked) return;
  optional(() => {
    audio ??= new AudioContext();
    let start = audio.currentTime;
    for (const [pitch, length] of NOTES[name]) {
      const note = audio.createOscillator(), volume = audio.createGain();
      note.frequency.value = pitch;
      note.type = "triangle";
      volume.gain.setValueAtTime(0.0001, start);
      volume.gain.exponentialRampToValueAtTime(0.07, start + 0.01);
      volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
      note.connect(volume).connect(audio.destination);
      note.start(start);
      note.stop(start + length);
      start += 0.7 * length;
    }
  });
}

/* Let people hear what has just happened, or that it is their turn. */
function hear(decided) {
  if (!fresh.length) return;
  if (state.over) sound("end");
  else if (told(/is laid open/)) sound("letter");
  else if (told(/ answers? with /)) sound("answer");
  else sound(state.moves?.length && !decided ? "turn" : "card");
}
