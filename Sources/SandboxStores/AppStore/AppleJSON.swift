import Foundation

/// JSON in the format of the verification endpoint, which encodes most values as text.
enum AppleJSON: Encodable, Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([AppleJSON])
    case object([String: AppleJSON])

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .flag(let flag): try value.encode(flag)
        case .list(let list): try value.encode(list)
        case .object(let members): try value.encode(members)
        }
    }
}

extension [String: AppleJSON] {
    /// Adds a date in the endpoint's three forms: GMT text, milliseconds, and Pacific time text.
    mutating func add(_ date: Date, as name: String) {
        self[name] = .text(Self.text(of: date, in: "Etc/GMT"))
        self[name + "_ms"] = .text(String(Int64((date.timeIntervalSince1970 * 1_000).rounded())))
        self[name + "_pst"] = .text(Self.text(of: date, in: "America/Los_Angeles"))
    }

    private static func text(of date: Date, in zone: String) -> String {
        var style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: TimeZone(identifier: zone) ?? .gmt)
        style = style.year().month().day().time(includingFractionalSeconds: false)
        return "\(date.formatted(style)) \(zone)"
    }
}
