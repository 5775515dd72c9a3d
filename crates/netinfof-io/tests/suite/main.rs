//! Files of every kind, as people have them.

mod data;
mod exports;
mod folder;
mod formats;
mod fuzz;
mod layouts;
mod misreads;
mod reading;
mod tables;
mod times;
