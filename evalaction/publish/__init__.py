"""Reports to where they are read: files, step summary, outputs, log, terminal. All I/O of reporting."""
