/// One column of a list of operators.
public struct OperatorColumn: Sendable, Equatable {
    /// What a column holds.
    public enum Kind: Sendable, Equatable {
        /// A text, or a label of an enumeration.
        case text
        /// A whole number.
        case integer
        /// A number that may have decimals, or be larger than a whole number of 64 bits.
        case decimal
        /// An instant.
        case instant
        /// A day of the calendar, without a time.
        case day
        /// True or false.
        case flag
        /// Any JSON value.
        case json
    }

    /// Its name in the view and in answers.
    public let name: String
    /// What it holds.
    public let kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// How it is asked for, so that its type is one that is read.
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
