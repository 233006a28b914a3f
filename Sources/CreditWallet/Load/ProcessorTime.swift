import Foundation

/// What this process has used of the processors.
enum ProcessorTime {
    /// Seconds since the process began, its own and the system's on its behalf; POSIX counts them in microseconds.
    static func used() -> Double {
        Double(clock()) / 1_000_000
    }
}
