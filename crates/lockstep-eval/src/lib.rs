//! TLA+ values, standard modules, intermediate representation and evaluators.
