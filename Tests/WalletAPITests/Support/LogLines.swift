import Logging
import Synchronization

/// A collector of log lines with their metadata.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// The lines so far.
    var all: [String] { self.lines.withLock { $0 } }

    /// Returns a logger that writes to this collector at the finest level.
    func logger() -> Logger {
        Logger(label: "test") { _ in Handler(lines: self) }
    }

    private func add(_ line: String) { self.lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
            self.lines.add("\(event.level) \(event.message) \(metadata)")
        }
    }
}
