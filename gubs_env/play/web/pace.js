/* The pace of the others. */

const PACES = [["at once", 0], ["fast", 0.2], ["normal", 0.8], ["slow", 2], ["very slow", 5]]; // seconds

const steer = (changes) => ask("controls", { ...state.controls, ...changes });
const PACE = {
  play: () => steer({ paused: !state.controls.paused }),
  next: () => ask("next", {}),
};

function showControls() {
  const { paused, delay } = state.controls;
  get("play").textContent = paused ? "Go on" : "Pause";
  get("play").disabled = state.over;
  get("next").hidden = !paused;
  get("next").disabled = state.over || Boolean(state.moves?.length);
  const known = PACES.some(([, seconds]) => seconds === delay) ? PACES : [...PACES, [`${delay} s`, delay]];
  get("delay").replaceChildren(...known.map(([name, seconds]) => new Option(name, seconds, false, seconds === delay)));
}
