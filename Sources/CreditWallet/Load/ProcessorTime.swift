import Foundation

/// What this process has used of the processors.
enum ProcessorTime {
    /// Seconds since the process began, its own and the system's on its behalf.
    static func used() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
