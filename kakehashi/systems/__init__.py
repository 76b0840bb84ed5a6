"""Every system, one file per family: settings, how it is trained, how it is opened, what it is called."""
