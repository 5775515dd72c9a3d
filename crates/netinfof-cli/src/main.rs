//! The `netinfof` command. The work is done in the library target, so that other packages can include the command.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;

/// The system's allocator. If memory runs out in spite of the plan of a run, the command ends with one line and
/// status 1; the standard library would abort the process.
struct OrExit;

#[expect(unsafe_code, reason = "an allocator can be replaced only by unsafe code")]
// SAFETY: every call is passed on to the system's allocator unchanged; a failed call does not return.
unsafe impl GlobalAlloc for OrExit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn checked(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(size);
    }
    memory
}

/// Ends the process with one line. Nothing here allocates.
#[cold]
fn out_of_memory(size: usize) -> ! {
    let _ = writeln!(
        std::io::stderr(),
        "error: out of memory: {} MiB more were needed than the system gives; `--plan` shows what a run needs, a \
         smaller `--dim` or fewer `--components` need less",
        size.div_ceil(1 << 20)
    );
    #[expect(clippy::exit, reason = "there is no memory left to return an error")]
    std::process::exit(1)
}

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

/// Keeps up to 256 MiB of released memory in the process instead of returning it after every matrix: threads that return
/// and fault in the same pages interrupt each other, which costs a tenth of the time of a run on a graph of 100,000 edges.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_released_memory() {
    #[expect(unsafe_code, reason = "the C library has no other interface for it")]
    // SAFETY: the signature is that of malloc.h, and no other thread has started.
    unsafe {
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        const TRIM_THRESHOLD: i32 = -1;
        const MMAP_THRESHOLD: i32 = -3;
        mallopt(TRIM_THRESHOLD, 256 << 20);
        mallopt(MMAP_THRESHOLD, 32 << 20);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_released_memory() {}

fn main() -> std::process::ExitCode {
    keep_released_memory();
    netinfof_cli::run(std::env::args_os()).into()
}
