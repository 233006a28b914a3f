import Foundation

/// How long a decoder may take for one input: 50 ms in a release build on an ordinary machine.
///
/// The bound grows with the build and with the machine. A debug build gets ten times as long. A slow or busy machine gets
/// as many times longer as it takes longer than ``ordinary`` for ``work``, which is Foundation's own and so the same in
/// every build. `FUZZ_PATIENCE` multiplies the bound once more, for builds with a sanitizer.
public enum FuzzTime {
    /// The bound on this machine, in this build.
    public static let limit: Duration = .milliseconds(50) * Self.build * Self.machine * Self.patience

    /// An input that takes too long is tried again: the machine may have been busy, so the fastest of these counts.
    private static let attempts = 4

    #if DEBUG
        private static let build = 10.0
    #else
        private static let build = 1.0
    #endif

    private static let patience = ProcessInfo.processInfo.environment["FUZZ_PATIENCE"].flatMap(Double.init) ?? 1
    private static let machine = max(1, Self.fastest(of: 5, Self.work) / Self.ordinary)

    /// The time that an ordinary machine needs for ``work``.
    private static let ordinary: Duration = .milliseconds(25)

    /// Reads a JSON text of 20,000 values.
    private static func work() {
        let text = "[\(Array(repeating: "{\"a\":1}", count: 10_000).joined(separator: ","))]"
        _ = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    private static func fastest(of attempts: Int, _ work: () -> Void) -> Duration {
        (0..<attempts).map { _ in ContinuousClock().measure(work) }.min() ?? .zero
    }

    /// Checks that something takes no longer than ``limit``.
    ///
    /// - Parameter work: What is measured; it is done again where it took too long.
    /// - Throws: What the work throws; ``FuzzFailure`` where every attempt took too long.
    public static func check(_ work: () async throws -> Void) async throws {
        var fastest: Duration?
        for _ in 0..<Self.attempts {
            let taken = try await ContinuousClock().measure { try await work() }
            guard taken > Self.limit else { return }
            fastest = min(taken, fastest ?? taken)
        }
        throw FuzzFailure("it took \(fastest ?? .zero), and may take \(Self.limit)")
    }
}
