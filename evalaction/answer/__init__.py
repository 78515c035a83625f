"""From a completion to an answer: what the model said, read strictly, or why it cannot be read. Pure."""
