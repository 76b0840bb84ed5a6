"""Every system, one file per family: settings, training, opening and names."""
