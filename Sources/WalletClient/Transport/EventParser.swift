import Foundation

/// Parses server-sent events from bytes as they arrive.
struct EventParser {
    /// One event.
    struct Event: Equatable {
        /// The last id that the stream has sent.
        var id: String?
        /// The event's name; `message` if the stream sends none.
        var name = "message"
        /// The data lines, joined by line breaks.
        var data: String
    }

    private var line: [UInt8] = []
    private var id: String?
    private var name: String?
    private var data: [String] = []

    /// Parses the next bytes and returns the events that they complete.
    mutating func read(_ bytes: Data) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                self.line.append(byte)
                continue
            }
            if self.line.last == UInt8(ascii: "\r") { self.line.removeLast() }
            if let event = self.take(String(decoding: self.line, as: UTF8.self)) { events.append(event) }
            self.line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func take(_ line: String) -> Event? {
        guard !line.isEmpty else { return self.finish() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count == 2 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "id": self.id = String(value)
        case "event": self.name = String(value)
        case "data": self.data.append(String(value))
        default: break  // Ignores comments, the retry field and unknown fields.
        }
        return nil
    }

    private mutating func finish() -> Event? {
        defer {
            self.name = nil
            self.data = []
        }
        guard !self.data.isEmpty else { return nil }
        return Event(id: self.id, name: self.name ?? "message", data: self.data.joined(separator: "\n"))
    }
}
