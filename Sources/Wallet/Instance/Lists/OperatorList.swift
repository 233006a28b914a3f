/// A list for operators: a view of schema `admin`, with its order and its filters.
///
/// SQL: the corresponding view under `views/admin`, whose comments explain the columns.
public struct OperatorList: Sendable {
    /// A filter of a list.
    struct Filter: Sendable {
        /// The way in which a filter's text is compared.
        enum Kind: Sendable, Equatable {
            /// The column equals a text.
            case text
            /// The column equals one of these texts.
            case oneOf([String])
            /// The column equals a whole number.
            case integer
            /// The row belongs to a user known to the wallet, or to an account merged into this user's account.
            case user
            /// The column is at this time or later.
            case from
            /// The column is before this time.
            case until
            /// For `true`, the column is null; for `false`, it is not.
            case isOpen
        }

        let name: String
        let column: String
        let kind: Kind
        let isRequired: Bool

        /// Filters by the environment of the wallet.
        static let environment = Self("environment", nil, .oneOf(WalletEnvironment.allCases.map(\.rawValue)))

        init(_ name: String, _ column: String? = nil, _ kind: Kind = .text, isRequired: Bool = false) {
            self.name = name
            self.column = column ?? name
            self.kind = kind
            self.isRequired = isRequired
        }
    }

    /// An expression that a list is ordered by, with its type.
    struct Key: Sendable {
        let expression: String
        let type: String

        init(_ expression: String, _ type: String) {
            self.expression = expression
            self.type = type
        }
    }

    /// The list's name, which is also the name of the array in answers.
    public let name: String
    /// The list's columns, in the order of the view.
    public let columns: [OperatorColumn]
    /// A Boolean value that indicates whether the list aggregates data and belongs to the reports.
    public let isReport: Bool
    let view: String
    let key: [Key]
    let isDescending: Bool
    let filters: [Filter]

    init(
        _ name: String,
        isReport: Bool = false,
        from view: String,
        by key: [Key],
        descending: Bool = true,
        filters: [Filter] = [],
        _ columns: [OperatorColumn]
    ) {
        self.name = name
        self.isReport = isReport
        self.view = view
        self.key = key
        self.isDescending = descending
        self.filters = filters
        self.columns = columns
    }

    /// The list's name in URLs.
    public var path: String { self.name.replacing("_", with: "-") }

    /// The list's path below `/operator/`.
    public var route: String { (self.isReport ? "reports/" : "") + self.path }

    /// The names of the list's filters.
    public var filterNames: [String] { self.filters.map(\.name) }
}
