public import Logging

/// Writes each log event as one JSON object on one line: `time`, `level`, `logger`, `msg`, then the metadata, flat.
///
/// The handler writes to standard output, where hosts collect logs; swift-log's own handler writes to standard error,
/// which hosts mark as errors. `request_id` and `trace_id` are metadata of the event or of a metadata provider.
public struct JSONLogHandler: LogHandler {
    /// The metadata of every event of this logger.
    public var metadata: Logger.Metadata = [:]

    /// The provider of metadata at the time of an event, such as the ids of the current request.
    public var metadataProvider: Logger.MetadataProvider?

    /// The lowest level that is written.
    public var logLevel: Logger.Level

    private let label: String
    private let output: LogOutput

    /// Creates a handler for one logger.
    ///
    /// - Parameters:
    ///   - label: The logger's label, written as `logger`.
    ///   - output: The destination of the lines; all handlers should share one.
    ///   - logLevel: The lowest level that is written.
    ///   - metadataProvider: Provides metadata at the time of an event.
    public init(
        label: String,
        output: LogOutput = .standardOutput,
        logLevel: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = nil
    ) {
        self.label = label
        self.output = output
        self.logLevel = logLevel
        self.metadataProvider = metadataProvider
    }

    /// Accesses one metadata value of every event of this logger.
    ///
    /// - Parameter key: The name of the metadata.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    /// Writes one event as one line.
    ///
    /// - Parameter event: The event. Its own metadata takes precedence over the provider's, and the provider's over the
    ///   logger's.
    public func log(event: LogEvent) {
        // There are few keys, so searching the arrays costs less than building a dictionary for each line.
        var keys: [String] = []
        var values: [Logger.MetadataValue] = []
        keys.reserveCapacity(16)
        values.reserveCapacity(16)
        if let error = event.error {
            keys.append("error")
            values.append("\(error)")
        }
        for metadata in [event.metadata, self.metadataProvider?.get(), self.metadata] {
            for (key, value) in metadata ?? [:] where !keys.contains(key) {
                keys.append(key)
                values.append(value)
            }
        }
        // The framework's own request id is hidden, since the response carries `request_id`.
        let hidden = keys.contains("request_id") ? "hb.request.id" : nil
        var line = JSONLogLine(level: event.level, label: self.label, message: event.message.description)
        for place in keys.indices.sorted(by: { keys[$0] < keys[$1] }) where keys[place] != hidden {
            line.append(values[place], for: keys[place])
        }
        self.output.write(line.terminated())
    }
}
