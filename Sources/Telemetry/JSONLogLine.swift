import Foundation
import Logging

/// One log event on its way to being one line of JSON.
struct JSONLogLine {
    private static let ownNames: Set<String> = ["time", "level", "logger", "msg"]

    private var text: String

    init(level: Logger.Level, label: String, message: String, at time: Date = .now) {
        self.text = "{\"time\":\"\(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))\""
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

    private mutating func append(_ name: String, _ value: String) {
        self.text += ",\"\(name)\":\(JSONText.string(value))"
    }
}
