import Foundation

/// Measures the processor time of this process.
enum ProcessorTime {
    /// Returns the seconds of user and system time since the process started; POSIX counts them in microseconds.
    static func used() -> Double {
        Double(clock()) / 1_000_000
    }
}
