"""Collections: the folder on disk, readers and writers per format, and the collections built here."""
