/// Decides which traces are recorded, with the names of `OTEL_TRACES_SAMPLER`.
public struct TraceSampler: Sendable, Equatable {
    /// OpenTelemetry's names of samplers.
    public enum Name: String, Sendable, CaseIterable {
        /// Records every span.
        case alwaysOn = "always_on"
        /// Records no span.
        case alwaysOff = "always_off"
        /// Records a share of the traces, independent of the caller's decision.
        case ratio = "traceidratio"
        /// Follows the caller's decision, and records every trace that starts here.
        case parentBasedAlwaysOn = "parentbased_always_on"
        /// Follows the caller's decision, and records no trace that starts here.
        case parentBasedAlwaysOff = "parentbased_always_off"
        /// Follows the caller's decision, and records a share of the traces that start here.
        case parentBasedRatio = "parentbased_traceidratio"
    }

    private let followsParent: Bool
    /// The upper bound of recorded traces: a trace is recorded if the first 63 bits of the second half of its id are
    /// below it.
    private let bound: UInt64

    /// Creates a sampler.
    ///
    /// - Parameters:
    ///   - name: The sampler's name.
    ///   - ratio: The share, from 0 to 1, for samplers with a ratio.
    public init(_ name: Name, ratio: Double = 1) {
        self.followsParent = [.parentBasedAlwaysOn, .parentBasedAlwaysOff, .parentBasedRatio].contains(name)
        switch name {
        case .alwaysOn, .parentBasedAlwaysOn: self.bound = 1 << 63
        case .alwaysOff, .parentBasedAlwaysOff: self.bound = 0
        case .ratio, .parentBasedRatio: self.bound = UInt64(min(max(ratio, 0), 1) * 0x1p63)
        }
    }

    /// Returns `true` if a span is recorded.
    ///
    /// The decision depends on the trace's id, so that all services that sample by ratio choose the same traces.
    func samples(_ trace: TraceContext, parent: TraceContext?) -> Bool {
        if self.followsParent, let parent { return parent.isSampled }
        guard self.bound > 0 else { return false }
        let number = UInt64(trace.traceID.suffix(16), radix: 16) ?? 0
        return number >> 1 < self.bound
    }
}
