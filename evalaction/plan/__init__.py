"""Base and head suite → Plan: which cases are affected, why, and what a reviewer must not miss. Pure."""
