//! The stable facade: bind a specification to a model and check it.
