import Foundation
import JSON
public import Logging
import Synchronization

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

/// The JSON line of one log event.
private struct JSONLogLine {
    private var bytes: [UInt8] = []

    init(level: Logger.Level, label: String, message: String, at time: Date = .now) {
        self.bytes.reserveCapacity(512)
        self.bytes.append(json: #"{"time":""#)
        Self.append(time, to: &self.bytes)
        self.bytes.append(json: #"","level":""#)
        self.bytes.append(json: level.rawValue)
        self.bytes.append(json: #"","logger":"#)
        self.bytes.append(string: label)
        self.bytes.append(json: #","msg":"#)
        self.bytes.append(string: message)
    }

    /// Adds metadata under its own name, or with the prefix `metadata.` if the name is one of the event's own members.
    mutating func append(_ value: Logger.MetadataValue, for key: String) {
        self.bytes.append(json: ",")
        switch key {
        case "time", "level", "logger", "msg": self.bytes.append(string: "metadata.\(key)")
        default: self.bytes.append(string: key)
        }
        self.bytes.append(json: ":")
        self.bytes.append(value)
    }

    /// Returns the complete line with its line break, in UTF-8.
    consuming func terminated() -> [UInt8] {
        self.bytes.append(json: "}\n")
        return self.bytes
    }

    /// A cache of the last written second, since many lines share one.
    private static let lastSecond = Mutex((number: 0.0, text: [UInt8]()))

    /// Appends an instant in RFC 3339, in UTC with milliseconds.
    private static func append(_ time: Date, to bytes: inout [UInt8]) {
        let second = time.timeIntervalSince1970.rounded(.down)
        bytes += Self.lastSecond.withLock { last in
            if last.number != second {
                last = (second, Array(Date(timeIntervalSince1970: second).formatted(.iso8601).utf8.dropLast()))
            }
            return last.text
        }
        let milliseconds = Int((time.timeIntervalSince1970 - second) * 1_000)
        bytes.append(UInt8(ascii: "."))
        for unit in [100, 10, 1] { bytes.append(UInt8(ascii: "0") + UInt8(milliseconds / unit % 10)) }
        bytes.append(UInt8(ascii: "Z"))
    }
}

/// JSON for the values of a log event; the escaping keeps each value within its string and its line.
extension [UInt8] {
    /// Appends a metadata value.
    fileprivate mutating func append(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self.append(string: text)
        case .stringConvertible(let value): self.append(plain: value)
        case .array(let values): self.append(list: values, between: ("[", "]")) { $0.append($1) }
        case .dictionary(let members):
            self.append(list: members.sorted { $0.key < $1.key }, between: ("{", "}")) { bytes, member in
                bytes.append(string: member.key)
                bytes.append(json: ":")
                bytes.append(member.value)
            }
        }
    }

    /// Appends text that is already JSON.
    fileprivate mutating func append(json: String) {
        self.append(contentsOf: json.utf8)
    }

    /// Appends text as a JSON string.
    fileprivate mutating func append(string text: String) {
        self.append(quoted: text, onOneLine: true)
    }

    /// Appends a number or a Boolean value as JSON, and any other value as text.
    private mutating func append(plain value: any CustomStringConvertible & Sendable) {
        switch value {
        // Int comes first, since a cast to any BinaryInteger searches all conformances of the type.
        case let number as Int: self.append(json: number.description)
        case let number as Double where number.isFinite: self.append(json: number.description)
        case let flag as Bool: self.append(json: flag.description)
        case let number as any BinaryInteger: self.append(json: number.description)
        default: self.append(string: value.description)
        }
    }

    private mutating func append<Item>(
        list: [Item],
        between brackets: (String, String),
        _ append: (inout Self, Item) -> Void
    ) {
        self.append(json: brackets.0)
        for (place, element) in list.enumerated() {
            if place > 0 { self.append(json: ",") }
            append(&self, element)
        }
        self.append(json: brackets.1)
    }
}

/// A file descriptor for log lines; concurrent writers never mix their lines.
///
/// A line that cannot be written (a closed pipe, a full disk) is lost: logging must not stop the service.
public final class LogOutput: Sendable {
    /// The process's standard output, shared by all loggers.
    public static let standardOutput = LogOutput(descriptor: STDOUT_FILENO)

    private let descriptor: Mutex<CInt>

    /// Creates an output to an open file descriptor, which it does not close.
    ///
    /// - Parameter descriptor: The file descriptor.
    public init(descriptor: CInt) {
        self.descriptor = Mutex(descriptor)
    }

    /// Writes one line under a lock; continues after partial writes.
    ///
    /// - Parameter line: The line with its line break, in UTF-8.
    public func write(_ line: [UInt8]) {
        self.descriptor.withLock { descriptor in
            var rest = line[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
