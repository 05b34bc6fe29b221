"""Lab: made-up data, what privacy costs, what is really lost, what attackers see."""
