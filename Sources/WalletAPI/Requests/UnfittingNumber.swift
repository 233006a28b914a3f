import Foundation
import Wallet

/// The number in a body for which the wanted type has no room: Foundation says neither which it is nor where it stands.
struct UnfittingNumber {
    /// The members that lead to it, and places in lists from 0.
    let path: String
    let number: Decimal

    /// The most numbers and the largest body that are looked through: the body is read again for each number.
    private static let most = 20
    private static let mostBytes = 4 * 1_024

    /// Returns whether a body that could not be read has the form of JSON, so that only a number or an escape in a text can
    /// be what is wrong.
    static func mayBe(in body: Data) -> Bool {
        (try? WireJSON.decoder.decode(Anything.self, from: body)) != nil
    }

    /// Reads any JSON, and makes nothing of it.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Finds the number; nil where the body is no JSON, is large, or something else is wrong with it.
    ///
    /// Each number that is no integer of 64 bits is replaced by 0 in turn: the one without which the body can be read is
    /// the one that is wrong.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: What was to be read from it.
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
