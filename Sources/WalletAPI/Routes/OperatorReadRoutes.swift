import Hummingbird
import Wallet

/// Answers operators' searches, and returns a user or a class with all that belongs to it.
///
/// - `GET /operator/search?q=` (operator)
/// - `GET /operator/users/{id}` (operator): the profile, both wallets and the review flags
/// - `GET /operator/users/{id}/timeline` (operator)
/// - `GET /operator/users/{id}/transactions`; also `purchases`, `subscriptions`, `bookings` (operator): the same as the
///   user's own routes
/// - `GET /operator/classes/{id}` (operator): the class with its roster and its waitlist
struct OperatorReadRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.get("operator/search", use: self.search)
        group.get("operator/users/:id", use: self.user)
        group.get("operator/users/:id/timeline", use: self.timeline)
        group.get("operator/users/:id/transactions", use: self.transactions)
        group.get("operator/users/:id/purchases", use: self.purchases)
        group.get("operator/users/:id/subscriptions", use: self.subscriptions)
        group.get("operator/users/:id/bookings", use: self.bookings)
        group.get("operator/classes/:id", use: self.session)
    }

    @Sendable
    private func search(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<SearchAnswer> {
        let text = try ParameterText.identifying(request.query("q"), "q")
        return JSONAnswer(SearchAnswer(hits: try await self.wallet.search(text, limit: request.page().limit)))
    }

    @Sendable
    private func user(_ request: Request, _ context: OperatorRequestContext) async throws -> WireAnswer {
        let user = try context.parameters.operatorUser()
        let named = ["user_id": user.rawValue]
        guard let row = try await self.wallet.rows(of: .users, where: named).items.first else {
            throw Problem.notFound("user-not-found", "No user has this id.")
        }
        let flags = try await self.wallet.rows(of: .flags, where: named, page: PageRequest(limit: 100)).items
        let production = try await self.wallet.balance(of: user, in: .production).json()
        let sandbox = try await self.wallet.balance(of: user, in: .sandbox).json()
        let (profile, raised) = (try WireText(encoding: row), try WireText(encoding: flags))
        return WireAnswer(
            json:
                #"{"flags":\#(raised),"user":\#(profile),"wallets":{"production":\#(production),"sandbox":\#(sandbox)}}"#
        )
    }

    @Sendable
    private func timeline(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<TimelineFact>> {
        let page = try await self.wallet.timeline(of: self.knownUser(context), page: request.page())
        return JSONAnswer(PagedAnswer("facts", page))
    }

    @Sendable
    private func transactions(_ request: Request, _ context: OperatorRequestContext) async throws -> WireAnswer {
        let page = try await self.wallet.transactions(
            of: self.knownUser(context),
            in: request.walletEnvironment(),
            page: request.page()
        )
        return WireAnswer(json: page.json())
    }

    @Sendable
    private func purchases(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<Purchase>> {
        let page = try await self.wallet.purchases(
            of: self.knownUser(context),
            in: request.walletEnvironment(),
            page: request.page()
        )
        return JSONAnswer(PagedAnswer("purchases", page))
    }

    @Sendable
    private func subscriptions(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<SubscriptionOverview> {
        JSONAnswer(try await self.wallet.subscriptions(of: self.knownUser(context), in: request.walletEnvironment()))
    }

    @Sendable
    private func bookings(_ request: Request, _ context: OperatorRequestContext) async throws -> WireAnswer {
        let user = try await self.knownUser(context)
        return try await self.wallet.bookings(of: user, in: request.walletEnvironment(), asked: request)
    }

    @Sendable
    private func session(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<OperatorClassAnswer> {
        let (id, row) = try await self.wallet.operatorClass(context)
        let (page, named) = (PageRequest(limit: 100), ["class_id": id])
        return JSONAnswer(
            OperatorClassAnswer(
                session: row,
                roster: try await self.wallet.rows(of: .roster, where: named, page: page),
                waitlist: try await self.wallet.rows(of: .waitlist, where: named, page: page)
            )
        )
    }

    /// Returns the user in the path; throws if the user is unknown, because a mistyped id would look like an empty
    /// wallet.
    private func knownUser(_ context: OperatorRequestContext) async throws -> UserID {
        let user = try context.parameters.operatorUser()
        try await self.wallet.check(isKnown: user)
        return user
    }
}

extension Parameters {
    /// Returns the user's id in the path: 1 to 320 characters.
    func operatorUser() throws -> UserID {
        UserID(rawValue: try ParameterText.identifying(self.decoded("id"), "id"))
    }
}

extension Wallet {
    /// Returns the id and the row of the class in the path.
    ///
    /// - Parameter context: The request's context.
    /// - Returns: The id and the row.
    /// - Throws: `class-not-found` if there is no such class, because a mistyped id would look like an empty class.
    func operatorClass(_ context: OperatorRequestContext) async throws -> (id: String, row: OperatorRow) {
        let id = try context.parameters.knownClassID()
        guard let row = try await self.rows(of: .classes, where: ["class_id": id]).items.first else {
            throw Problem.notFound("class-not-found", "No class has this id.")
        }
        return (id, row)
    }
}

/// The results of a search.
private struct SearchAnswer: Encodable {
    let hits: [SearchHit]
}

/// A class with its first bookings and waiting users.
private struct OperatorClassAnswer: Encodable {
    let session: OperatorRow
    let roster: [OperatorRow]
    @Nullable var rosterCursor: String?
    let waitlist: [OperatorRow]
    @Nullable var waitlistCursor: String?

    init(session: OperatorRow, roster: Page<OperatorRow>, waitlist: Page<OperatorRow>) {
        self.session = session
        self.roster = roster.items
        self.rosterCursor = roster.nextCursor
        self.waitlist = waitlist.items
        self.waitlistCursor = waitlist.nextCursor
    }

    enum CodingKeys: String, CodingKey {
        case session = "class"
        case roster
        case rosterCursor = "roster_next_cursor"
        case waitlist
        case waitlistCursor = "waitlist_next_cursor"
    }
}
