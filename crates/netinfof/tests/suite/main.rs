//! The library from the outside: theorems as properties, determinism, real graphs where they are at hand.

mod determinism;
mod families;
mod formats;
mod fuzz;
mod ordinary;
mod properties;
mod reading;
mod real;
