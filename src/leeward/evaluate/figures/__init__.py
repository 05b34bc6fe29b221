"""What an evaluation found, as pictures: lines against ε, and the ε at which privacy is free."""
