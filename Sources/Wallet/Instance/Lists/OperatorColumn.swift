/// One column of an operator list.
public struct OperatorColumn: Sendable, Equatable {
    /// The type of a column's values.
    public enum Kind: Sendable, Equatable {
        /// A text, or a label of an enumeration.
        case text
        /// A whole number.
        case integer
        /// A number that may have decimals or exceed 64 bits.
        case decimal
        /// A point in time.
        case instant
        /// A day of the calendar, without a time.
        case day
        /// True or false.
        case flag
        /// Any JSON value.
        case json
    }

    /// The column's name in the view and in answers.
    public let name: String
    /// The type of the column's values.
    public let kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The SQL expression that selects the column with a type that ``OperatorRow`` can decode.
    var expression: String {
        switch self.kind {
        case .text, .day: "v.\(self.name)::text"
        case .integer: "v.\(self.name)::bigint"
        case .decimal: "v.\(self.name)::numeric"
        case .instant: "v.\(self.name)::timestamptz"
        case .flag: "v.\(self.name)::boolean"
        case .json: "to_jsonb(v.\(self.name))"
        }
    }
}
