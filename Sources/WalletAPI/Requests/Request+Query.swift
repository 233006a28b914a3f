import Foundation
import Hummingbird
import Wallet

extension Request {
    /// Returns a query parameter; throws if it must not be repeated, because its value would be ambiguous.
    func query(_ name: String) throws -> String? {
        let values = self.uri.queryParameters[values: name[...]]
        guard values.count <= 1 else { throw Problem.parameter(name, "must not be repeated") }
        guard let value = values.first else { return nil }
        guard value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw Problem.parameter(name, "must not contain control characters", Received(String(value)))
        }
        return String(value)
    }

    /// Returns an instant from a required query parameter.
    func instant(_ name: String) throws -> Date {
        guard let text = try self.query(name) else {
            throw Problem.parameter(name, "is required: \(WireJSON.instantForm)")
        }
        guard let instant = WireJSON.instant(text) else {
            throw Problem.parameter(name, "must be \(WireJSON.instantForm)", Received(text))
        }
        return instant
    }

    /// Reads `limit` (1 to 100, 20 by default) and `cursor` (opaque).
    func page() throws -> PageRequest {
        var limit = 20
        if let text = try self.query("limit") {
            guard let number = Self.decimal(text), (1...100).contains(number) else {
                throw Problem.parameter("limit", "must be a number from 1 to 100", Received(text))
            }
            limit = number
        }
        return PageRequest(limit: limit, cursor: try self.cursor())
    }

    private func cursor() throws -> String? {
        guard let cursor = try self.query("cursor") else { return nil }
        guard (1...200).contains(cursor.utf8.count), cursor.utf8.allSatisfy(Self.isCursorByte) else {
            throw Problem.parameter("cursor", "must be the next_cursor of an earlier response", Received(cursor))
        }
        return cursor
    }

    /// Reads `dry_run`: `true` or `false`.
    func isDryRun() throws -> Bool {
        switch try self.query("dry_run") {
        case nil, "false": return false
        case "true": return true
        case let text?: throw Problem.parameter("dry_run", "must be true or false", Received(text))
        }
    }

    /// Reads `preview`, the value that a dry run returned; nil if the request confirms no preview.
    func preview() throws -> String? {
        guard let text = try self.query("preview") else { return nil }
        guard text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else {
            throw Problem.parameter("preview", "must be the 64 hexadecimal digits of a dry run", Received(text))
        }
        return text
    }

    private static func decimal(_ text: String) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func isCursorByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
