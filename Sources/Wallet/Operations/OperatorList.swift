public import Foundation
public import JSON
import Postgres

extension Wallet {
    /// Reads one page of an operator list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - filters: The filter values by the names in ``OperatorList/filterNames``; other names are ignored.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 `malformed-request` for a missing or invalid filter or an invalid cursor, 404
    ///   `user-not-found`, 503 when the database does not answer.
    public func rows(
        of list: OperatorList,
        where filters: [String: String] = [:],
        page: PageRequest = PageRequest()
    ) async throws -> Page<OperatorRow> {
        let rows: [(row: OperatorRow, cursor: [String])]
        do {
            rows = try await self.read(self.query(for: list, where: filters, page: page)) { row in
                let cursor = try list.key.indices.map { try row.decode("key_\($0)", as: String.self) }
                return (row: try OperatorRow(columns: list.columns, row: row), cursor: cursor)
            }
        } catch let error as WalletError where error.slug == "invalid-values" {
            // Filters are typed already, so the cause is a value of the cursor, which PostgreSQL casts.
            throw page.cursor.map(Cursor.malformed) ?? error
        }
        let held = Page(rows, limit: page.limit) { $0.cursor }
        return Page(items: held.items.map(\.row), nextCursor: held.nextCursor)
    }

    /// Returns the statement that reads a page.
    func query(for list: OperatorList, where filters: [String: String], page: PageRequest) async throws -> Query {
        var statement = Query.StringInterpolation(literalCapacity: 1_000, interpolationCount: 8)
        let columns = list.columns.map { "\($0.expression) AS \($0.name)" }
        let keys = list.key.enumerated().map { "(\($1.expression))::text AS key_\($0)" }
        statement.appendLiteral("SELECT \((columns + keys).joined(separator: ", ")) FROM \(list.view) AS v WHERE TRUE")
        for filter in list.filters {
            guard let text = filters[filter.name], !text.isEmpty else {
                // An empty text is invalid for a user and for a filter with fixed values.
                if filter.isRequired || (filters[filter.name] != nil && !filter.mayBeEmpty) {
                    throw filter.unreadable(filters[filter.name])
                }
                continue
            }
            if filter.kind == .user { try await self.check(isKnown: UserID(rawValue: text)) }
            try filter.append(text, to: &statement, in: self.studioTimeZone)
        }
        if let cursor = page.cursor {
            let values = try Cursor.decode(cursor, count: list.key.count)
            let places = list.key.map(\.expression).joined(separator: ", ")
            statement.appendLiteral(" AND (\(places)) \(list.isDescending ? "<" : ">") (")
            for (number, (key, value)) in zip(list.key, values).enumerated() {
                statement.appendLiteral(number == 0 ? "" : ", ")
                statement.appendInterpolation(value)
                statement.appendLiteral("::text::\(key.type)")
            }
            statement.appendLiteral(")")
        }
        let order = list.key.map { $0.expression + (list.isDescending ? " DESC" : "") }.joined(separator: ", ")
        statement.appendLiteral(" ORDER BY \(order) LIMIT \(page.limit + 1)")
        return Query(stringInterpolation: statement)
    }
}

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
            /// The column is at this time or later; a day or a time without a zone is in the studio's time zone.
            case from
            /// The column is before this time.
            case until
            /// For `true`, the column is null; for `false`, it is not.
            case isOpen
            /// The column is the id of a user whom the text may mean: by a part of the id, the name or the email
            /// address.
            case search
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

    /// A link from a list's page to rows that operators often want to see.
    package struct Shortcut: Sendable {
        /// The link's label.
        package let label: String
        /// The path of the list with the rows.
        package let path: String
        /// The filters that select the rows.
        package let filters: [String: String]

        init(_ label: String, _ path: String, _ filters: [String: String] = [:]) {
            self.label = label
            self.path = path
            self.filters = filters
        }
    }

    /// The texts of a list's page in the console, and the columns that it shows.
    package struct Shown: Sendable {
        /// The page's title.
        package let title: String
        /// The text for a list without rows, if no filter is set.
        package let empty: String
        /// The meaning of the list, in a sentence or two.
        package let about: String
        /// The columns of the page; nil for all.
        package let columns: [String]?
        /// The links above the list.
        package var shortcuts: [Shortcut] = []
    }

    /// The object that a list belongs to; its id is part of the list's address.
    package enum Owner: String, Sendable {
        case user = "user_id"
        case `class` = "class_id"

        /// The beginning of the address, with a placeholder for the id.
        var path: String { self == .user ? "users/{id}/" : "classes/{id}/" }
    }

    /// The list's name, which is also the name of the array in answers.
    public let name: String
    /// The object that the list belongs to, whose id is a required filter; nil for a list of all objects.
    package let owner: Owner?
    /// The list's columns, in the order of the view.
    public let columns: [OperatorColumn]
    /// A Boolean value that indicates whether the list aggregates data and belongs to the reports.
    public let isReport: Bool
    /// The texts and the columns of the list's page.
    package let shown: Shown
    let view: String
    let key: [Key]
    let isDescending: Bool
    let filters: [Filter]

    init(
        _ name: String,
        of owner: Owner? = nil,
        isReport: Bool = false,
        shown: Shown? = nil,
        from view: String,
        by key: [Key],
        descending: Bool = true,
        filters: [Filter] = [],
        _ columns: [OperatorColumn]
    ) {
        self.name = name
        self.owner = owner
        self.isReport = isReport
        let title = name.replacing("_", with: " ")
        self.shown = shown ?? Shown(title: title.capitalized, empty: "No \(title) yet", about: "", columns: nil)
        self.view = view
        self.key = key
        self.isDescending = descending
        self.filters = filters
        self.columns = columns
    }

    /// The list's name in URLs.
    public var path: String { self.name.replacing("_", with: "-") }

    /// The list's path below `/operator/`; `{id}` stands for the id of the object that the list belongs to.
    public var route: String { (self.isReport ? "reports/" : self.owner?.path ?? "") + self.path }

    /// The names of the list's filters.
    public var filterNames: [String] { self.filters.map(\.name) }

    /// Returns the values of a filter with fixed values; empty for other filters.
    ///
    /// - Parameter name: The filter's name.
    /// - Returns: The values.
    package func options(of name: String) -> [String] {
        guard case .oneOf(let values) = self.filters.first(where: { $0.name == name })?.kind else { return [] }
        return values
    }
}

extension OperatorList.Filter {
    /// A Boolean value that indicates whether an empty text means no filter.
    fileprivate var mayBeEmpty: Bool {
        switch self.kind {
        case .user, .oneOf: false
        default: true
        }
    }

    /// Returns the error for a text that is invalid for this filter; `nil` means that a required text is missing.
    fileprivate func unreadable(_ text: String?) -> WalletError {
        .malformed(parameter: self.name, allowed: self.allowed, received: text)
    }

    private var allowed: String {
        switch self.kind {
        case .text: "a string"
        case .oneOf(let values): values.formatted(.list(type: .or).locale(Locale(identifier: "en_US_POSIX")))
        case .integer: "a whole number"
        case .user: "a user's id"
        case .from, .until: "an RFC 3339 instant such as 2026-11-21T01:31:00Z or a day such as 2026-11-21"
        case .isOpen: "true or false"
        case .search: "a part of a name, an email address or a user's id, of at most 320 characters"
        }
    }

    /// Appends the condition for a filter's text.
    fileprivate func append(
        _ text: String,
        to statement: inout Query.StringInterpolation,
        in zone: StudioTimeZone
    ) throws {
        let column = "v.\(self.column)"
        switch self.kind {
        case .oneOf(let values) where !values.contains(text): throw self.unreadable(text)
        case .text, .oneOf:
            statement.appendLiteral(" AND \(column)::text = ")
            statement.appendInterpolation(text)
        case .integer:
            guard let number = Int64(text) else { throw self.unreadable(text) }
            statement.appendLiteral(" AND \(column) = ")
            statement.appendInterpolation(number)
        case .user:
            statement.appendLiteral(
                " AND \(column) = ANY(ARRAY(SELECT u.account_id FROM wallet.user_accounts AS u WHERE u.user_id = "
            )
            statement.appendInterpolation(UserID(rawValue: text).rawValue)
            statement.appendLiteral("))")
        case .from, .until:
            guard let instant = zone.instant(text) ?? zone.start(of: text) else { throw self.unreadable(text) }
            statement.appendLiteral(" AND \(column) \(self.kind == .from ? ">=" : "<") ")
            statement.appendInterpolation(instant)
        case .isOpen:
            guard let isOpen = Bool(text) else { throw self.unreadable(text) }
            statement.appendLiteral(" AND \(column) IS \(isOpen ? "" : "NOT ")NULL")
        case .search:
            guard text.unicodeScalars.count <= 320 else { throw self.unreadable(text) }
            statement.appendLiteral(" AND \(column) = ANY(ARRAY(SELECT f.id FROM wallet.find_users(")
            statement.appendInterpolation(text)
            statement.appendLiteral(") AS f (id)))")
        }
    }
}

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
        /// An amount of money in the currency's unit, with the currency's decimals.
        ///
        /// The view has the hundredths in a column with the suffix `_minor`, and the currency in the column `currency`.
        /// The suffix `_value` distinguishes the amount of money from an amount of credits.
        case money
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
        case .money: "wallet.money(v.\(self.name.replacing("_value", with: ""))_minor, v.currency)::text"
        }
    }
}

/// One row of an operator list, with its values in the order of the list's columns.
public struct OperatorRow: Sendable, Equatable, Encodable {
    /// One value.
    public enum Value: Sendable, Equatable {
        /// No value.
        case null
        /// A text, a day or an amount of money.
        case text(String)
        /// A whole number, exact.
        case integer(Int64)
        /// A number, exact.
        case decimal(Decimal)
        /// A point in time.
        case instant(Date)
        /// True or false.
        case flag(Bool)
        /// Any JSON value.
        case json(JSONValue)
    }

    /// The columns.
    public let columns: [OperatorColumn]
    /// The values of the columns.
    public let values: [Value]

    init(columns: [OperatorColumn], row: Row) throws {
        self.columns = columns
        self.values = try columns.map { try Value($0, of: row) }
    }

    /// Returns the value of a column.
    ///
    /// - Parameter name: The column's name.
    public subscript(_ name: String) -> Value? {
        self.columns.firstIndex { $0.name == name }.map { self.values[$0] }
    }

    /// Encodes the row as an object.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        for (column, value) in zip(self.columns, self.values) {
            let key = Key(stringValue: column.name)
            switch value {
            case .null: try members.encodeNil(forKey: key)
            case .text(let text): try members.encode(text, forKey: key)
            case .integer(let number): try members.encode(number, forKey: key)
            case .decimal(let number): try members.encode(number, forKey: key)
            case .instant(let date): try members.encode(date, forKey: key)
            case .flag(let flag): try members.encode(flag, forKey: key)
            case .json(let json): try members.encode(json, forKey: key)
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension OperatorRow.Value {
    fileprivate init(_ column: OperatorColumn, of row: Row) throws {
        let value: Self? =
            switch column.kind {
            case .text, .day, .money: try row.decode(column.name, as: String?.self).map(Self.text)
            case .integer: try row.decode(column.name, as: Int64?.self).map(Self.integer)
            case .decimal: try row.decode(column.name, as: Decimal?.self).map(Self.decimal)
            case .instant: try row.decode(column.name, as: Date?.self).map(Self.instant)
            case .flag: try row.decode(column.name, as: Bool?.self).map(Self.flag)
            case .json: try row.decode(column.name, as: JSON<JSONValue>?.self).map { .json($0.value) }
            }
        self = value ?? .null
    }
}
