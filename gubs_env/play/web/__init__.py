"""A game in the browser.

- `table`: the page of each seat or watcher
- `links`: the secret links, which stay while the game goes on
- `pace`: when the next move of an agent is shown
- `server`: requests and answers over HTTP
- `browser`: the server, from its start to its end
"""
