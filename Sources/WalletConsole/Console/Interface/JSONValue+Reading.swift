import Foundation
import Wallet

extension JSONValue {
    /// The text; nil for another value.
    var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The number; nil for another value.
    var number: Decimal? { if case .number(let number) = self { number } else { nil } }
    /// The list; empty for another value.
    var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
    /// The members; nil for another value.
    var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    /// A Boolean value that indicates whether this is the value `true`.
    var isTrue: Bool { self == .bool(true) }

    /// Returns a member by its name.
    subscript(_ name: String) -> JSONValue? { self.members?[name] }

    /// Sets a member at a path, and creates the objects on the path.
    mutating func set(_ value: JSONValue, at place: ArraySlice<String>) {
        guard let name = place.first else {
            self = value
            return
        }
        var members = self.members ?? [:]
        var inner = members[name] ?? .object([:])
        inner.set(value, at: place.dropFirst())
        members[name] = inner
        self = .object(members)
    }

    /// The value's text on a page: texts unchanged, exact numbers, members with their names, and an empty text for
    /// null.
    var shown: String {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "yes" : "no"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .array(let items): items.map(\.shown).joined(separator: "; ")
        case .object(let members):
            members.filter { $0.value != .null }.sorted { $0.key < $1.key }
                .map { "\($0.key.replacing("_", with: " ")) \($0.value.shown)" }.joined(separator: ", ")
        }
    }
}
