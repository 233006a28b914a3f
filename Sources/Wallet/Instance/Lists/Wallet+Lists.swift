import Foundation
import Postgres
import Stores

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
        } catch let error as WalletError where error.slug == "not-acceptable" {
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
            try filter.append(text, to: &statement)
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
        }
    }

    /// Appends the condition for a filter's text.
    fileprivate func append(_ text: String, to statement: inout Query.StringInterpolation) throws {
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
            guard let instant = Self.instant(text) else { throw self.unreadable(text) }
            statement.appendLiteral(" AND \(column) \(self.kind == .from ? ">=" : "<") ")
            statement.appendInterpolation(instant)
        case .isOpen:
            guard let isOpen = Bool(text) else { throw self.unreadable(text) }
            statement.appendLiteral(" AND \(column) IS \(isOpen ? "" : "NOT ")NULL")
        }
    }

    /// Parses a point in time (RFC 3339), or a day as its midnight in UTC.
    private static func instant(_ text: String) -> Date? {
        (RFC3339(text) ?? RFC3339(day: text))?.date
    }
}
