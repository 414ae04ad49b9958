/* Everything that listens, and the start. */

let resizing = 0;
function resized() {
  clearTimeout(resizing);
  resizing = setTimeout(() => { if (state && state.drawn !== size()) look(); }, 150);
}
optional(() => new ResizeObserver(resized).observe(get("table")));
optional(() => new ResizeObserver(showNewest).observe(get("log")));
addEventListener("resize", resized);
for (const what of ["focus", "online", "visibilitychange"]) addEventListener(what, look);
get("retry").addEventListener("click", look);

/* The lines of the rules as paragraphs and lists. The first words of most are a heading. */
const HEADS = { p: /^[A-Z][\w ,()]{2,30}[.:]/, ul: /^[^,:]+/, ol: /^/ };
function ruled(lines) {
  const made = [];
  for (const line of lines.filter(Boolean)) {
    const [mark] = /^(- |\d+\. )?/.exec(line), said = line.slice(mark.length);
    const kind = !mark ? "p" : mark === "- " ? "ul" : "ol";
    if (!mark || made.at(-1)?.localName !== kind) made.push(element(kind));
    const [head] = made.length > 1 ? HEADS[kind].exec(said) ?? [""] : [said];
    const item = mark ? made.at(-1).appendChild(element("li")) : made.at(-1);
    item.append(element("b", head), said.slice(head.length));
  }
  return made;
}

async function readRules() {
  const { text, cards } = await send("rules", undefined, PATIENCE);
  get("rules").querySelector("div").replaceChildren(...ruled(text.split("\n")));
  cardTexts = new Map(Object.entries(cards));
}

for (const [opener, dialog] of [["show-rules", "rules"], ["show-options", "options"], ["show-keys", "keys"]]) {
  get(opener).addEventListener("click", () => open(dialog));
  get(dialog).addEventListener("click", (event) => { if (event.target === get(dialog)) get(dialog).close(); });
  get(dialog).addEventListener("close", hold);
}
for (const id of ["quick", "auto", "sounds"]) {
  get(id).checked = optional(() => localStorage.getItem(id)) === "yes";
  get(id).addEventListener("change", () => {
    optional(() => localStorage.setItem(id, get(id).checked ? "yes" : "no"));
    if (id === "sounds") sound("turn");
  });
}
for (const [id, act] of Object.entries(PACE)) get(id).addEventListener("click", act);
get("delay").addEventListener("change", (event) => steer({ delay: +event.target.value }));
get("anew").addEventListener("click", async () => {
  if (!state.over && !confirm("Leave this game for a new one? It stays in its file.")) return;
  get("options").close();
  await steer({ paused: false }); // a move that is held back comes first
  again({});
});
get("aside").addEventListener("click", () => (stages.length > 1 ? back() : hint()));
get("whole").addEventListener("click", () => {
  get("whole").setAttribute("aria-expanded", String(get("whole").getAttribute("aria-expanded") !== "true"));
  showLog();
});
readRules().catch((error) => { get("rules").querySelector("div").textContent = error.message; }).then(listen);
