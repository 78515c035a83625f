"""A stored ``report.json`` as a report again: everything that it states is worked out anew from its draws. Pure."""
