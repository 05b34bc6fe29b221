"""Release: the check, the charge, the measurement and the certificate of a plan."""
