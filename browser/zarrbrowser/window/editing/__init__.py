"""Changes in the window: switched on per source, asked for in dialogs, run in workers, shown everywhere."""
