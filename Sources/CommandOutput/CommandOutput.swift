import Foundation
import Synchronization

/// Shows the progress of a long operation on standard error, with an estimate of the remaining time.
///
/// On a terminal, the meter rewrites one line. For other outputs, it prints a line every ten seconds. The last line
/// shows the total.
package final class ProgressMeter: Sendable {
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

    /// Creates a meter and starts to measure the time.
    ///
    /// - Parameters:
    ///   - work: The name of the operation, with which each line begins.
    ///   - unit: The unit of the count, in the plural.
    ///   - isTerminal: A Boolean value that indicates whether the meter may rewrite its line.
    ///   - now: A closure that returns the current time of a monotonic clock.
    ///   - write: A closure that writes a text unchanged.
    package init(
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

    /// Sets the count, and prints a line if one is due.
    package func show(_ done: Int, of total: Int) {
        self.note(of: total) { _ in done }
    }

    /// Increments the count by one.
    package func advance(of total: Int) {
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

    /// Prints the total, if anything was counted.
    package func end() {
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
        // The control sequence clears the rest of a longer previous line.
        self.write(self.isTerminal ? "\r\(line)\u{1B}[K\(isLast ? "\n" : "")" : "\(line)\n")
    }

    private func seconds(until instant: ContinuousClock.Instant) -> Double {
        self.start.duration(to: instant) / .seconds(1)
    }

    private static func time(_ seconds: Double) -> String {
        seconds < 90 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) min"
    }
}

/// Encodes a command's JSON output: one object with sorted members in snake case.
package enum CommandJSON {
    package static func text(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
