public import Logging

/// Writes each log event as one JSON object on one line: `time`, `level`, `logger`, `msg`, then the metadata, flat.
///
/// Made for standard output, where hosts collect logs; swift-log's own handler writes to standard error, which they
/// mark as errors. `request_id` and `trace_id` come as metadata, from the event or from a metadata provider.
public struct JSONLogHandler: LogHandler {
    /// Metadata of every event of this logger.
    public var metadata: Logger.Metadata = [:]

    /// Metadata found when an event is written, such as the ids of the request that is being answered.
    public var metadataProvider: Logger.MetadataProvider?

    /// The lowest level that is written.
    public var logLevel: Logger.Level

    private let label: String
    private let output: LogOutput

    /// Makes a handler for one logger.
    ///
    /// - Parameters:
    ///   - label: The logger's label, written as `logger`.
    ///   - output: Where lines go; share one among all handlers.
    ///   - logLevel: The lowest level that is written.
    ///   - metadataProvider: Adds metadata found when an event is written.
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

    /// Reads or changes one metadata value of every event of this logger.
    ///
    /// - Parameter key: The metadata's name.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    /// Writes one event as one line.
    ///
    /// - Parameter event: The event; its own metadata wins over the provider's, and that over the logger's.
    public func log(event: LogEvent) {
        // There are few, and looking through them costs less than putting together a dictionary for each line.
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
        // The framework's own number of a request; the answer bears ours.
        let hidden = keys.contains("request_id") ? "hb.request.id" : nil
        var line = JSONLogLine(level: event.level, label: self.label, message: event.message.description)
        for place in keys.indices.sorted(by: { keys[$0] < keys[$1] }) where keys[place] != hidden {
            line.append(values[place], for: keys[place])
        }
        self.output.write(line.terminated())
    }
}
