import Testing

@testable import Telemetry

@Suite struct TraceSamplerTests {
    @Test(arguments: [
        (TraceSampler.Name.alwaysOn, true, true, true), (.alwaysOff, false, false, false),
        (.parentBasedAlwaysOn, true, true, false), (.parentBasedAlwaysOff, false, true, false),
    ])
    func `a sampler decides on new traces, and on sampled and unsampled callers`(
        name: TraceSampler.Name,
        root: Bool,
        recorded: Bool,
        unrecorded: Bool
    ) {
        let sampler = TraceSampler(name)
        var caller = TraceContext()
        #expect(sampler.samples(TraceContext(), parent: nil) == root)
        caller.isSampled = true
        #expect(sampler.samples(caller.child(), parent: caller) == recorded)
        caller.isSampled = false
        #expect(sampler.samples(caller.child(), parent: caller) == unrecorded)
    }

    @Test(arguments: [TraceSampler.Name.ratio, .parentBasedRatio])
    func `a ratio selects traces by their ids, the same everywhere`(name: TraceSampler.Name) {
        let traces = (0..<20_000).map { _ in TraceContext() }
        let chosen = traces.filter { TraceSampler(name, ratio: 0.25).samples($0, parent: nil) }
        #expect((4_600...5_400).contains(chosen.count))
        // The selection of a larger ratio includes that of a smaller one.
        #expect(chosen.allSatisfy { TraceSampler(name, ratio: 0.5).samples($0, parent: nil) })
        #expect(traces.allSatisfy { TraceSampler(name, ratio: 1).samples($0, parent: nil) })
        #expect(!traces.contains { TraceSampler(name, ratio: 0).samples($0, parent: nil) })
    }

    @Test func `a ratio of 0 ignores the caller's decision unless it is parent-based`() {
        var caller = TraceContext()
        caller.isSampled = true
        #expect(!TraceSampler(.ratio, ratio: 0).samples(caller.child(), parent: caller))
        #expect(TraceSampler(.parentBasedRatio, ratio: 0).samples(caller.child(), parent: caller))
    }
}
