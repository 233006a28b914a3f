import CommandOutput
import Synchronization
import Testing

@Suite struct ProgressMeterTests {
    /// A manual clock and the captured output of a meter.
    private final class Stage: Sendable {
        private let state = Mutex((now: ContinuousClock.now, written: [String]()))

        var written: [String] { self.state.withLock { $0.written } }

        func pass(_ duration: Duration) {
            self.state.withLock { $0.now += duration }
        }

        func meter(isTerminal: Bool) -> ProgressMeter {
            ProgressMeter(
                "import",
                of: "users",
                isTerminal: isTerminal,
                now: { self.state.withLock { $0.now } },
                write: { text in self.state.withLock { $0.written.append(text) } }
            )
        }
    }

    @Test func `in a log, the meter writes a line every ten seconds and one at the end`() {
        let stage = Stage()
        let meter = stage.meter(isTerminal: false)
        for done in 1...25 {
            stage.pass(.seconds(1))
            meter.show(done * 10, of: 1_000)
        }
        meter.end()
        #expect(
            stage.written == [
                "import: 100 of 1000 users (10 %), 10 a second, 2 min left\n",
                "import: 200 of 1000 users (20 %), 10 a second, 80 s left\n",
                "import: 250 of 1000 users in 25 s\n",
            ]
        )
    }

    @Test func `on a terminal, the meter rewrites one line and ends with a summary`() {
        let stage = Stage()
        let meter = stage.meter(isTerminal: true)
        for _ in 1...4 {
            stage.pass(.milliseconds(60))
            meter.advance(of: 4)
        }
        meter.end()
        #expect(stage.written.count == 3)
        #expect(stage.written[0] == "\rimport: 2 of 4 users (50 %), 16 a second, 0 s left\u{1B}[K")
        #expect(stage.written[2] == "\rimport: 4 users in 0 s\u{1B}[K\n")
    }

    @Test func `a meter without progress writes nothing`() {
        let stage = Stage()
        stage.meter(isTerminal: true).end()
        #expect(stage.written.isEmpty)
    }
}
