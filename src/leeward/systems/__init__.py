"""Systems: releases of other kinds, paid in the same way."""
