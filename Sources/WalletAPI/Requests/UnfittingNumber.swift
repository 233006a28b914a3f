import Foundation
import Wallet

/// A number in a body that does not fit the decoded type.
///
/// Foundation reports neither the number nor its path.
struct UnfittingNumber {
    /// The path of the number: member names, and list indices from 0.
    let path: String
    let number: Decimal

    /// The limits of the search: the number of candidates and the size of the body.
    ///
    /// Each candidate requires another decoding.
    private static let most = 20
    private static let mostBytes = 4 * 1_024

    /// Returns whether a body that could not be decoded is well-formed JSON.
    ///
    /// If it is, only a number or an escape in a text can be wrong.
    static func mayBe(in body: Data) -> Bool {
        (try? WireJSON.decoder.decode(Anything.self, from: body)) != nil
    }

    /// Decodes any JSON and discards it.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Finds the number; returns nil if the body is not JSON, is too large, or has another error.
    ///
    /// The search replaces each number that is not a 64-bit integer with 0, one at a time. If the body can be decoded
    /// after a replacement, that number is the wrong one.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: The type that the body should have been decoded as.
    init?(in body: Data, for type: (some Decodable).Type) {
        guard body.count <= Self.mostBytes, let document = try? WireJSON.decoder.decode(JSONValue.self, from: body)
        else { return nil }
        let places = Self.places(in: document)
        guard places.count <= Self.most else { return nil }
        for (path, number) in places {
            guard let changed = try? WireJSON.encoder.encode(Self.replace(path[...], in: document)) else { continue }
            do {
                _ = try WireJSON.decoder.decode(type, from: changed)
            } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
                continue
            } catch {}
            self.path = path.joined(separator: ".")
            self.number = number
            return
        }
        return nil
    }

    private static func places(in value: JSONValue) -> [(path: [String], number: Decimal)] {
        switch value {
        case .number(let number): Self.isInteger(number) ? [] : [([], number)]
        case .array(let items):
            items.enumerated().flatMap { index, item in
                self.places(in: item).map { (["\(index)"] + $0.path, $0.number) }
            }
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { key, member in
                self.places(in: member).map { ([key] + $0.path, $0.number) }
            }
        default: []
        }
    }

    private static func isInteger(_ number: Decimal) -> Bool { Int64("\(number)") != nil }

    private static func replace(_ path: ArraySlice<String>, in value: JSONValue) -> JSONValue {
        guard let key = path.first else { return .number(0) }
        switch value {
        case .array(var items):
            guard let index = Int(key) else { return value }
            items[index] = self.replace(path.dropFirst(), in: items[index])
            return .array(items)
        case .object(var members):
            guard let member = members[key] else { return value }
            members[key] = self.replace(path.dropFirst(), in: member)
            return .object(members)
        default: return value
        }
    }
}
