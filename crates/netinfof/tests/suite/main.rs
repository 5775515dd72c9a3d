//! The library from the outside: theorems as properties, determinism, real graphs where they are available.

mod architecture;
mod battery;
mod bipartite;
mod context;
#[path = "../../../netinfof-io/tests/suite/data.rs"]
mod data;
mod determinism;
mod directed;
mod directed_nodes;
mod families;
mod ordinary;
mod own_components;
mod properties;
mod real;
mod resume;
mod targets;
mod temporal;
mod weights;
