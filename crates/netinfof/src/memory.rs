//! Memory of the process and of the machine, as far as the system reports them.

use std::fs;

/// The share of the machine's memory that a run may use by default.
const SHARE: f64 = 0.8;

/// Peak memory of this process in bytes.
pub(crate) fn peak() -> Option<u64> {
    of_kib(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory that a run may use by default: a share of that of the machine or of its control group, and the
/// limit on the address space of the process.
pub(crate) fn default_limit() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_kib(&text, "MemTotal:"));
    let group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok())
        .min();
    let shared = machine.into_iter().chain(group).min().map(|bytes| (SHARE * bytes as f64) as u64);
    shared.into_iter().chain(address_space()).min()
}

/// The limit on the address space, without what the process had reserved at its start.
fn address_space() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find(|line| line.starts_with("Max address space"))?;
    let limit: u64 = line.split_whitespace().nth(3)?.parse().ok()?;
    let reserved = of_kib(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:").unwrap_or(0);
    let resident = of_kib(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:").unwrap_or(0);
    Some(limit.saturating_sub(reserved.saturating_sub(resident)))
}

/// The value of a line such as `VmHWM:    1234 kB`.
fn of_kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system_are_read() {
        assert_eq!(of_kib("Name: x\nVmHWM:\t  12 kB\n", "VmHWM:"), Some(12 * 1024));
        assert_eq!(of_kib("VmHWM: many kB", "VmHWM:"), None);
        if cfg!(target_os = "linux") {
            assert!(peak().unwrap() > 1 << 20 && default_limit().unwrap() > 1 << 20);
        }
    }
}
