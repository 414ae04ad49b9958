"""Games of other packages whose truth is known: Kuhn poker and Leduc poker."""
