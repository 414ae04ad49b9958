/* A game under way. `news` sends the page, which holds only what its viewer may know. A person
   chooses pick by pick (`choose` plays nothing), and confirms the whole move. */

const get = (id) => document.getElementById(id);
let state = null; // the newest page of the server: see `WebTable.page`

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/* Lines as sentences; one that ends with a stop, perhaps in quotes, gets no other. */
const sentences = (lines) => `${lines.join(". ")}. `.replace(/([.!?]["”]?)\.(?!\S)/g, "$1");

function button(text, act, className) {
  const made = element("button", text, className);
  made.addEventListener("click", act);
  return made;
}

/* The size of the table in pixels, for which the picture is drawn. */
function size() {
  const box = get("table");
  return `${Math.floor(box.clientWidth)}x${Math.floor(box.clientHeight)}`;
}

function open(dialog) {
  document.querySelector("dialog[open]")?.close();
  get(dialog).showModal();
  hold();
  get(dialog).lastElementChild.scrollTop = 0;
}

/* Change the text of a live region, which is read aloud again only if it differs. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function say(...shown) {
  get("said").replaceChildren(...shown);
}

function show() {
  showTable();
  showQuestion();
  showControls();
  showEnd();
}
