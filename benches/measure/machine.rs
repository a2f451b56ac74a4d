//! What machine this is, in a line, and when.

use std::fs;

pub fn line() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (cpu, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
    let value = |text: &str, key: &str| -> String {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        line.split_once(':').map(|(_, value)| value.trim().to_string()).unwrap_or_default()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kilobytes: u64 =
        value(&memory, "MemTotal").split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    format!(
        "{}, {cores} threads of {}, {} GB, {} {}, load {} at the end; flightdeck {}.",
        &jiff::Timestamp::now().to_string()[..10],
        or_unknown(&value(&cpu, "model name")),
        kilobytes >> 20,
        std::env::consts::OS,
        kernel.trim(),
        or_unknown(load.split(' ').next().unwrap_or_default()),
        env!("CARGO_PKG_VERSION")
    )
}

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}
