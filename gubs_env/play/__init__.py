"""Playing against agents and watching them; docs/playing.md explains the commands.

- `session`: a game between people and agents: who decides, what each person may see, hints
- `choice`: the choice of one move among many, narrowed step by step
- `opponents`: agents for the seats that no person takes, and the one that gives hints
- `layout`: the table as boxes of text
- `screen`: output to the terminal, input from it, and Ctrl-C
- `terminal`: a game at the terminal, for one person or several
- `watching`: a game of agents at the terminal
- `web`: a game in the browser
- `saves`: the file of a game
- `commands`: builds a game from the options of the commands
"""
