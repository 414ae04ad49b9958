/* Everything that listens, and the start. */

let resizing = 0;
function resized() {
  clearTimeout(resizing);
  resizing = setTimeout(() => { if (state && state.drawn !== size()) look(); }, 150);
}
optional(() => new ResizeObserver(resized).observe(get("table")));
addEventListener("resize", resized);
for (const what of ["focus", "online", "visibilitychange"]) addEventListener(what, look);
get("retry").addEventListener("click", look);

/* Each line "- Lure ×8, Hazard: …" of the rules says what a card does. */
async function readRules() {
  const rules = await send("rules", undefined, PATIENCE);
  get("rules").querySelector("pre").textContent = rules;
  for (const line of rules.split("\n").filter((each) => each.startsWith("- ")))
    cardTexts.set(line.slice(2).split(/ ×|:/)[0], line.slice(2));
}

for (const [opener, dialog] of [["show-rules", "rules"], ["show-options", "options"]]) {
  get(opener).addEventListener("click", () => { get(dialog).showModal(); get(dialog).lastElementChild.scrollTop = 0; });
  get(dialog).addEventListener("click", (event) => { if (event.target === get(dialog)) get(dialog).close(); });
}
for (const id of ["quick", "auto"]) {
  get(id).checked = optional(() => localStorage.getItem(id)) === "yes";
  get(id).addEventListener("change", () => {
    optional(() => localStorage.setItem(id, get(id).checked ? "yes" : "no"));
    if (id === "auto") playForced();
  });
}
for (const [id, act] of Object.entries(PACE)) get(id).addEventListener("click", act);
get("delay").addEventListener("change", (event) => steer({ delay: +event.target.value }));
get("aside").addEventListener("click", () => (stages.length > 1 ? back() : hint()));
get("whole").addEventListener("click", () => {
  get("whole").setAttribute("aria-pressed", String(get("whole").getAttribute("aria-pressed") !== "true"));
  showLog();
});
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.altKey || event.metaKey || !state) return;
  if (event.key === "Escape") back();
  if (event.target.matches("button, select, input, #log, a")) return;
  if (event.key === "Enter" && stage().move) play();
  const id = KEYS[event.key];
  if (!id || get(id).disabled || get(id).hidden) return;
  event.preventDefault();
  PACE[id]();
});
readRules().catch((error) => { get("rules").querySelector("pre").textContent = error.message; }).then(listen);
