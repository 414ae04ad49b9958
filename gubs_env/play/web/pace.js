/* The pace of the others. */

const PACES = [["instant", 0], ["fast", 0.2], ["normal", 0.8], ["slow", 2], ["slowest", 5]]; // seconds

const steer = (changes) => ask("controls", changes); // what has been shown may be old
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
  if (get("delay").value !== String(delay)) // it may be open
    get("delay").replaceChildren(...known.map(([name, seconds]) => new Option(`Pace: ${name}`, seconds, false, seconds === delay)));
}

const isPaused = () => state.controls.paused && !state.over && !state.moves?.length;

/* Show another pace, and who is waited for. */
function showPace() {
  showControls();
  if (!state.moves?.length) showQuestion();
}

/* An open dialog holds the others, as the end of a hand does; what this page has paused goes on when it is closed. */
let isHeld = false;
const isReading = () => Boolean(document.querySelector("dialog[open], .reading"));
function hold() {
  const { over, moves, controls } = state ?? { over: true };
  if (isReading() && !over && !moves?.length && !controls.paused) {
    isHeld = true;
    steer({ paused: true });
  } else if (!isReading() && isHeld) {
    isHeld = false;
    steer({ paused: false });
  }
  playForced();
}
