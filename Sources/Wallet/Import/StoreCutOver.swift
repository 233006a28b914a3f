public import Foundation

/// From when on a store grants, before and after an import.
public struct StoreCutOver: Sendable, Equatable, Encodable {
    /// The store.
    public var store: String
    /// From when on it granted.
    public var before: Date
    /// From when on it grants.
    public var grantsFrom: Date

    enum CodingKeys: String, CodingKey {
        case store
        case before = "grants_from_before"
        case grantsFrom = "grants_from"
    }
}
