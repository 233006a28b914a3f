import Logging
import Synchronization

/// A collector of log lines.
final class LogCollector: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let text: String
    }

    private let state = Mutex<[Line]>([])

    var lines: [Line] { self.state.withLock { $0 } }

    func add(_ line: Line) {
        self.state.withLock { $0.append(line) }
    }
}

/// A handler that collects lines of every level with their metadata as text.
struct CollectingLogHandler: LogHandler {
    let collector: LogCollector
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(collector: LogCollector) {
        self.collector = collector
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
        self.collector.add(.init(level: event.level, text: "\(event.message) \(metadata)"))
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
