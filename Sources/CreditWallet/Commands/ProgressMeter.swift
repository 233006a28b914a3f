import Foundation
import Synchronization

/// Shows on standard error how far a long work is, and how long the rest will take at the rate so far.
///
/// On a terminal one line is written over and over; elsewhere, where lines are kept, there is one every ten seconds. The
/// last line says what was done in all.
final class ProgressMeter: Sendable {
    private struct State {
        var done = 0
        var total = 0
        var shown: ContinuousClock.Instant
    }

    private let work: String
    private let unit: String
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private let state: Mutex<State>

    /// Begins to count the time.
    ///
    /// - Parameters:
    ///   - work: What is being done, with which each line begins.
    ///   - unit: What is counted, in the plural.
    ///   - isTerminal: Whether the line may be written over.
    ///   - now: The present, which only goes forward.
    ///   - write: Writes a text as it is.
    init(
        _ work: String,
        of unit: String,
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
    ) {
        self.work = work
        self.unit = unit
        self.isTerminal = isTerminal
        self.now = now
        self.write = write
        self.start = now()
        self.state = Mutex(State(shown: self.start))
    }

    /// Notes how much is done, and shows it when it is time for a line.
    func show(_ done: Int, of total: Int) {
        self.note(of: total) { _ in done }
    }

    /// Notes that one more is done.
    func advance(of total: Int) {
        self.note(of: total) { $0 + 1 }
    }

    private func note(of total: Int, _ count: (Int) -> Int) {
        let instant = self.now()
        let due = self.state.withLock { state -> Int? in
            state.done = count(state.done)
            state.total = total
            guard state.shown.duration(to: instant) >= (self.isTerminal ? .milliseconds(100) : .seconds(10)) else {
                return nil
            }
            state.shown = instant
            return state.done
        }
        if let due { self.writeLine(self.line(due, total, self.seconds(until: instant)), isLast: false) }
    }

    /// Shows what was done in all, where anything was.
    func end() {
        let (done, total) = self.state.withLock { ($0.done, $0.total) }
        guard total > 0 else { return }
        let count = done == total ? "\(done)" : "\(done) of \(total)"
        self.writeLine("\(count) \(self.unit) in \(Self.time(self.seconds(until: self.now())))", isLast: true)
    }

    private func line(_ done: Int, _ total: Int, _ seconds: Double) -> String {
        let rate = Double(done) / max(seconds, 0.001)
        let left = rate > 0 ? ", \(Self.time(Double(total - done) / rate)) left" : ""
        return "\(done) of \(total) \(self.unit) (\(done * 100 / max(total, 1)) %), \(Int(rate)) a second\(left)"
    }

    private func writeLine(_ text: String, isLast: Bool) {
        let line = "\(self.work): \(text)"
        // A shorter line must not leave the end of the longer one before it.
        self.write(self.isTerminal ? "\r\(line)\u{1B}[K\(isLast ? "\n" : "")" : "\(line)\n")
    }

    private func seconds(until instant: ContinuousClock.Instant) -> Double {
        self.start.duration(to: instant) / .seconds(1)
    }

    private static func time(_ seconds: Double) -> String {
        seconds < 90 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) min"
    }
}
