//! Files of every kind, as people have them.

mod data;
mod formats;
mod fuzz;
mod layouts;
mod misreads;
mod reading;
mod tables;
mod times;
