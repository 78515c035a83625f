"""The sample repository and the local model: the main job, shown on what a real model answers."""
