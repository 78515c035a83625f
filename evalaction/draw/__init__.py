"""Plan → draws: the only stage that talks to the endpoint, and the only one that imports httpx."""
