/// A list that operators read: a view of schema admin, how it is ordered, and by what it is filtered.
///
/// SQL: the view of the same meaning under `views/admin`, whose comments say what the columns mean.
public struct OperatorList: Sendable {
    /// One thing that a list can be filtered by.
    struct Filter: Sendable {
        /// How a filter's text is compared.
        enum Kind: Sendable, Equatable {
            /// Equal to a text.
            case text
            /// Equal to one of these.
            case oneOf([String])
            /// Equal to a whole number.
            case integer
            /// Of a user, whom the wallet must know; merged accounts' rows are the user's.
            case user
            /// At this instant or later.
            case from
            /// Before this instant.
            case until
            /// `true`: where the column is null; `false`: where it is not.
            case isOpen
        }

        let name: String
        let column: String
        let kind: Kind
        let isRequired: Bool

        /// Of the wallets of one environment.
        static let environment = Self("environment", nil, .oneOf(WalletEnvironment.allCases.map(\.rawValue)))

        init(_ name: String, _ column: String? = nil, _ kind: Kind = .text, isRequired: Bool = false) {
            self.name = name
            self.column = column ?? name
            self.kind = kind
            self.isRequired = isRequired
        }
    }

    /// One expression that a list is ordered by, with its type.
    struct Key: Sendable {
        let expression: String
        let type: String

        init(_ expression: String, _ type: String) {
            self.expression = expression
            self.type = type
        }
    }

    /// Its name: that of the array in answers.
    public let name: String
    /// What it shows, in the order of the view's columns.
    public let columns: [OperatorColumn]
    /// Whether it sums up, and is among the reports.
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

    /// Its name in an address.
    public var path: String { self.name.replacing("_", with: "-") }

    /// Where it is below `/operator/`.
    public var route: String { (self.isReport ? "reports/" : "") + self.path }

    /// The names of what it can be filtered by.
    public var filterNames: [String] { self.filters.map(\.name) }
}
