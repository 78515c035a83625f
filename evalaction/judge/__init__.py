"""A judge's exam: decks in permuted orders, requests, labels, flips, and the stub judges that prove it. All pure."""
