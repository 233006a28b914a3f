public import Foundation

/// The start of a store's grants, before and after an import; the store grants only later purchases.
public struct StoreCutOver: Sendable, Equatable, Encodable {
    /// The store.
    public var store: String
    /// The start before the import.
    public var before: Date
    /// The start after the import.
    public var grantsFrom: Date

    enum CodingKeys: String, CodingKey {
        case store
        case before = "grants_from_before"
        case grantsFrom = "grants_from"
    }
}
