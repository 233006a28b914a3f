import Foundation
import Logging
import Synchronization

/// One log event on its way to being one line of JSON.
struct JSONLogLine {
    private static let ownNames: Set<String> = ["time", "level", "logger", "msg"]

    private var text: String

    init(level: Logger.Level, label: String, message: String, at time: Date = .now) {
        self.text = "{\"time\":\"\(Self.text(time))\""
        self.append("level", level.rawValue)
        self.append("logger", label)
        self.append("msg", message)
    }

    /// Adds metadata under its own name, or behind `metadata.` where an event's own member has that name.
    mutating func append(_ value: Logger.MetadataValue, for key: String) {
        self.text += ",\(JSONText.string(Self.ownNames.contains(key) ? "metadata.\(key)" : key)):"
        self.text += JSONText.value(value)
    }

    /// The finished line with its line break.
    func terminated() -> String {
        "\(self.text)}\n"
    }

    /// The last second that was written; there are many lines in one.
    private static let lastSecond = Mutex((number: 0.0, text: ""))

    /// Writes an instant in RFC 3339, in UTC with milliseconds.
    static func text(_ time: Date) -> String {
        let second = time.timeIntervalSince1970.rounded(.down)
        let text = Self.lastSecond.withLock { last in
            if last.number != second {
                last = (second, String(Date(timeIntervalSince1970: second).formatted(.iso8601).dropLast()))
            }
            return last.text
        }
        let milliseconds = Int((time.timeIntervalSince1970 - second) * 1_000)
        return "\(text).\(String(1_000 + milliseconds).dropFirst())Z"
    }

    private mutating func append(_ name: String, _ value: String) {
        self.text += ",\"\(name)\":\(JSONText.string(value))"
    }
}
