//! A deterministic Entity Component System with a parallel schedule equal to the serial one.
