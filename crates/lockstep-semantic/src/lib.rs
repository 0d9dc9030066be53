//! Module graph, name resolution, level checking and the configuration language of TLA+.
