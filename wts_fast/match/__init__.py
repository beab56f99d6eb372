"""Engine against engine: players, games, results with their error, and the luck taken out of them."""
