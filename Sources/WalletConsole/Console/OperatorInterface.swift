import Foundation
import JSON
import Logging
import Wallet

/// Reads and changes the wallet for a signed-in operator, with the checks and the audit of the API's operator routes.
struct OperatorInterface: Sendable {
    /// A part of a list: the rows as the API returns them, and the cursor of the next part.
    struct Rows: Sendable {
        let items: [JSONValue]
        let next: String?
    }

    let wallet: Wallet
    let limits: OperatorLimits
    let refusals: RefusalMetrics
    let actor: OperatorIdentity
    let logger: Logger

    /// Performs an action, or tries it.
    ///
    /// - Parameters:
    ///   - call: The action with the values of its form.
    ///   - preview: The preview that the operator confirms; nil tries the action.
    /// - Returns: The result, as the action's route returns it.
    /// - Throws: ``ConsoleProblem`` for a refusal.
    func perform(_ call: ActionCall, confirming preview: String? = nil) async throws -> JSONValue {
        try await self.run(call.action.route, isChange: preview != nil) {
            let change = OperatorChange(
                actor: self.actor,
                environment: call.environment ?? .production,
                key: call.key,
                dryRun: preview == nil,
                preview: try preview.map(ParameterText.preview)
            )
            return try await self.wallet.perform(call.action, call.body, change, limits: self.limits)
        }
    }

    /// Reads a part of a list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - query: The values of its filters; empty values and other names are ignored.
    ///   - limit: The maximum number of rows.
    ///   - cursor: The end of the previous part; nil or empty for the first part.
    /// - Returns: The part.
    /// - Throws: ``ConsoleProblem`` for a refusal.
    func rows(
        of list: OperatorList,
        _ query: [String: String] = [:],
        limit: Int = 20,
        cursor: String? = nil
    ) async throws -> Rows {
        let query = query.filter { !$0.value.isEmpty }
        return try await self.read(list.route, of: query["user_id"]) {
            let page = try await self.page(of: list, query, limit: limit, cursor)
            return Rows(items: try WireJSON.json(of: page.items).items, next: page.nextCursor)
        }
    }

    /// Begins to export a list as CSV, with the names of the columns.
    func export(_ list: OperatorList, _ filters: [String: String]) async throws -> CSVExport {
        let filters = filters.filter { !$0.value.isEmpty }
        return try await self.read(list.route, of: filters["user_id"], exporting: Set(filters.keys)) {
            try Self.check(filters, of: list)
            return try await self.wallet.export(list, where: filters)
        }
    }

    private func page(
        of list: OperatorList,
        _ query: [String: String],
        limit: Int,
        _ cursor: String?
    ) async throws -> Page<OperatorRow> {
        try Self.check(query, of: list)
        let cursor = cursor.flatMap { $0.isEmpty ? nil : $0 }
        return try await self.wallet.rows(of: list, where: query, page: PageRequest(limit: limit, cursor: cursor))
    }

    private static func check(_ query: [String: String], of list: OperatorList) throws {
        for (name, text) in query where name == "user_id" || list.filterNames.contains(name) {
            _ = try ParameterText.checked(text, name)
        }
    }

    /// Reads the time of the wallet clock.
    func now() async throws -> Date {
        try await self.read("today") { try await self.wallet.now() }
    }

    /// Searches for the objects that a text identifies.
    func search(_ text: String, limit: Int) async throws -> [JSONValue] {
        try await self.read("search") {
            let text = try ParameterText.identifying(ParameterText.checked(text, "text"), "text")
            return try WireJSON.json(of: try await self.wallet.search(text, limit: limit)).items
        }
    }

    /// Reads a part of a user's timeline.
    func timeline(of user: String, limit: Int, cursor: String) async throws -> Rows {
        try await self.read("timeline", of: user) {
            let page = PageRequest(limit: limit, cursor: cursor.isEmpty ? nil : cursor)
            let facts = try await self.wallet.timeline(of: Self.user(user), page: page)
            return Rows(items: try WireJSON.json(of: facts.items).items, next: facts.nextCursor)
        }
    }

    /// Reads a user's balance.
    func balance(of user: String, in environment: WalletEnvironment) async throws -> Balance {
        try await self.read("balance", of: user, in: environment) {
            try await self.wallet.balance(of: self.knownUser(user), in: environment)
        }
    }

    /// Reads a user's latest bookings.
    func bookings(of user: String, in environment: WalletEnvironment, limit: Int) async throws -> [Booking] {
        try await self.read("bookings", of: user, in: environment) {
            try await self.wallet.bookings(
                of: self.knownUser(user),
                in: environment,
                filter: nil,
                page: PageRequest(limit: limit)
            ).items
        }
    }

    /// Reads a user's subscriptions.
    func subscriptions(of user: String, in environment: WalletEnvironment) async throws -> [Subscription] {
        try await self.read("subscriptions", of: user, in: environment) {
            try await self.wallet.subscriptions(of: self.knownUser(user), in: environment).subscriptions
        }
    }

    private func knownUser(_ text: String) async throws -> UserID {
        let user = try Self.user(text)
        try await self.wallet.check(isKnown: user)
        return user
    }

    private static func user(_ text: String) throws -> UserID {
        let text = text.isEmpty ? nil : try ParameterText.checked(text, "user_id")
        return UserID(rawValue: try ParameterText.identifying(text, "user_id"))
    }

    /// Reads, and then records the read of a user's data or the export; if this cannot be recorded, nothing is shown.
    private func read<Value: Sendable>(
        _ route: String,
        of user: String? = nil,
        in environment: WalletEnvironment? = nil,
        exporting filters: Set<String>? = nil,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await self.run(route, isChange: false) {
            let value = try await work()
            let user = user.map(UserID.init(rawValue:))
            let access = OperatorAccess(reading: route, of: user, in: environment, exporting: filters)
            if let access { try await self.wallet.record(access, by: self.actor) }
            return value
        }
    }

    /// Turns errors into problems for a page, and counts and records refusals.
    private func run<Value: Sendable>(
        _ route: String,
        isChange: Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            let refusal = self.refusal(error)
            await self.wallet.recordRefusal(
                refusal.slug,
                status: refusal.code,
                of: route,
                isChange: isChange,
                by: self.actor,
                logger: self.logger
            )
            self.refusals.note(refusal.slug)
            throw ConsoleProblem(refusal)
        }
    }

    /// Returns the refusal for an error; an unexpected error is logged, and its page shows only the request's id.
    private func refusal(_ error: any Error) -> WalletError {
        if let error = error as? WalletError, error.code != 500 { return error }
        if error is CancellationError {
            return WalletError(status: 503, slug: "overloaded", detail: "The service cancelled the request.")
        }
        self.logger.error("A request failed", metadata: ["error": "\(error)", "error_type": "\(type(of: error))"])
        return WalletError(
            status: 500,
            slug: "internal-error",
            detail: "The error was logged under the request id."
        )
    }
}

/// A problem that a page displays.
struct ConsoleProblem: Error, Sendable {
    let status: Int
    /// The last part of the problem's type; nil for a problem that does not come from the wallet.
    let slug: String?
    let title: String
    let detail: String?
    /// The number of seconds to wait before a retry; nil if no value is known.
    let retryAfter: Int?

    init(status: Int, title: String, detail: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.slug = nil
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Creates a problem from a refusal or failure of the wallet.
    init(_ error: WalletError) {
        let (detail, members) = error.described
        self.status = error.code
        self.slug = error.slug
        self.title = error.title
        let standard = ["type", "title", "status", "detail", "request_id"]
        let more = members.filter { !standard.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.text ?? $0.value.jsonText)" }
        let parts = [detail == "\(self.title)." ? nil : detail, more.isEmpty ? nil : more.joined(separator: ", ")]
            .compactMap { $0 }
        self.detail = parts.isEmpty ? nil : parts.joined(separator: " ")
        self.retryAfter = [429, 503].contains(self.status) ? max(error.retryAfter ?? 1, 1) : nil
    }
}

extension JSONValue {
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
