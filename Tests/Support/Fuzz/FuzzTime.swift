import Foundation

/// The time limit of a decoder for one input: 50 ms in a release build on an ordinary machine.
///
/// The limit depends on the build and on the machine. A debug build gets ten times as long. On a slow machine the limit
/// grows by the factor by which ``work`` takes longer than ``ordinary``; this work runs in Foundation, so it does not
/// depend on the build. `FUZZ_PATIENCE` is a further factor, for builds with a sanitizer.
///
/// Both the elapsed time and the processor time of the process must exceed the limit: the former grows while other
/// processes run, the latter while other tests run.
public enum FuzzTime {
    /// The limit on this machine, in this build.
    public static let limit: Duration = .milliseconds(50) * Self.build * Self.machine * Self.patience

    /// The number of attempts for an input that takes too long; the fastest one decides.
    private static let attempts = 4

    #if DEBUG
        private static let build = 10.0
    #else
        private static let build = 1.0
    #endif

    private static let patience = ProcessInfo.processInfo.environment["FUZZ_PATIENCE"].flatMap(Double.init) ?? 1
    private static let machine = max(1, Self.fastest(of: 5, Self.work) / Self.ordinary)

    /// The duration of ``work`` on an ordinary machine.
    private static let ordinary: Duration = .milliseconds(25)

    /// Parses a JSON text of 20,000 values.
    private static func work() {
        let text = "[\(Array(repeating: "{\"a\":1}", count: 10_000).joined(separator: ","))]"
        _ = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    private static func fastest(of attempts: Int, _ work: () -> Void) -> Duration {
        (0..<attempts).map { _ in
            let began = Instant.now
            work()
            return began.taken
        }.min() ?? .zero
    }

    /// Checks that the work takes no longer than ``limit``.
    ///
    /// - Parameter work: The measured work; it is repeated if it takes too long.
    /// - Throws: An error that the work throws, or ``FuzzFailure`` if every attempt takes too long.
    public static func check(_ work: () async throws -> Void) async throws {
        var fastest: Duration?
        for _ in 0..<Self.attempts {
            let began = Instant.now
            try await work()
            let taken = began.taken
            guard taken > Self.limit else { return }
            fastest = min(taken, fastest ?? taken)
        }
        throw FuzzFailure("it took \(fastest ?? .zero), and may take \(Self.limit)")
    }
}

extension FuzzTime {
    /// The beginning of some work, on the clock and in processor time.
    private struct Instant {
        let time: ContinuousClock.Instant
        let used: Duration

        static var now: Self {
            // POSIX counts the processor time of a process in microseconds.
            Self(time: .now, used: .microseconds(Int64(clock())))
        }

        /// The shorter of the elapsed time and the used processor time.
        var taken: Duration {
            let end = Self.now
            return min(end.time - self.time, end.used - self.used)
        }
    }
}
