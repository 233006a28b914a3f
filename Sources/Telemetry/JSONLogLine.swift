import Foundation
import Logging
import Synchronization

/// The JSON line of one log event.
struct JSONLogLine {
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
