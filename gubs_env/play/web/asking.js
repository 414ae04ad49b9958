/* Requests to the server, and its answers. */

/* Return the answer to a request, or to a message; a failure has a `status`, 0 if nobody answered. */
async function send(path, message, patience = 0) {
  const failure = (status, reason) => Object.assign(new Error(reason), { status });
  const limit = new AbortController(), timer = patience && setTimeout(() => limit.abort(), patience);
  const posted = message === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message),
  };
  let answer, text;
  try {
    answer = await fetch(path, { signal: limit.signal, ...posted });
    text = await answer.text();
  } catch {
    throw failure(0, LOST);
  } finally {
    clearTimeout(timer);
  }
  const kind = answer.headers.get("Content-Type") || "";
  if (kind.startsWith("text/html"))
    throw failure(answer.status, `Something else than the game has answered, with status ${answer.status}: reload the page.`);
  if (!answer.ok) throw failure(answer.status, text);
  return kind.startsWith("application/json") ? JSON.parse(text) : text;
}

/* Send a message and return the answer; show why it was refused, and return undefined. Whatever it
   has changed is in the news, which are asked for at once. */
async function ask(path, message) {
  try {
    const told = await send(path, message), drawn = size();
    if (told.version > state.version) await take({ ...told, drawn }); // newer news may have come first
    return told;
  } catch (error) {
    say(error.message);
  } finally {
    look();
  }
}
