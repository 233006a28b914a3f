/// Decides which traces are recorded, by the names of `OTEL_TRACES_SAMPLER`.
public struct TraceSampler: Sendable, Equatable {
    /// The names, as OpenTelemetry has them.
    public enum Name: String, Sendable, CaseIterable {
        /// Every span.
        case alwaysOn = "always_on"
        /// None.
        case alwaysOff = "always_off"
        /// A share of the traces, whatever their callers say.
        case ratio = "traceidratio"
        /// What the caller says, and every trace that begins here.
        case parentBasedAlwaysOn = "parentbased_always_on"
        /// What the caller says, and no trace that begins here.
        case parentBasedAlwaysOff = "parentbased_always_off"
        /// What the caller says, and a share of those that begin here.
        case parentBasedRatio = "parentbased_traceidratio"
    }

    private let followsParent: Bool
    /// A trace is recorded whose id is below this, of 2^63.
    private let bound: UInt64

    /// Makes a sampler.
    ///
    /// - Parameters:
    ///   - name: Which.
    ///   - ratio: The share, from 0 to 1, for those that take one.
    public init(_ name: Name, ratio: Double = 1) {
        self.followsParent = [.parentBasedAlwaysOn, .parentBasedAlwaysOff, .parentBasedRatio].contains(name)
        switch name {
        case .alwaysOn, .parentBasedAlwaysOn: self.bound = 1 << 63
        case .alwaysOff, .parentBasedAlwaysOff: self.bound = 0
        case .ratio, .parentBasedRatio: self.bound = UInt64(min(max(ratio, 0), 1) * 0x1p63)
        }
    }

    /// Whether a piece of work is recorded.
    ///
    /// By the trace's id, so that all services that sample by a share of it choose the same traces.
    func samples(_ trace: TraceContext, parent: TraceContext?) -> Bool {
        if self.followsParent, let parent { return parent.isSampled }
        guard self.bound > 0 else { return false }
        let number = UInt64(trace.traceID.suffix(16), radix: 16) ?? 0
        return number >> 1 < self.bound
    }
}
