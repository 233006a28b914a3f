import Hummingbird
import Wallet

/// Returns the classes with their free seats, and their policies; no token is required.
///
/// - `GET /classes` (public)
/// - `GET /classes/{id}` (public)
/// - `GET /policies/{id}` (public)
struct ClassRoutes {
    /// The key of a first page.
    private struct Part: Hashable {
        let environment: WalletEnvironment
        let limit: Int
    }

    private let wallet: Wallet
    private let firstPages: SharedAnswers<Part>

    init(wallet: Wallet) {
        self.wallet = wallet
        self.firstPages = SharedAnswers(wallet: wallet)
    }

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("classes", use: self.list)
        group.get("classes/:id", use: self.one)
        group.get("policies/:id", use: self.policy)
    }

    @Sendable
    private func list(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (environment, wanted) = (try request.walletEnvironment(), try request.page())
        if wanted.cursor != nil {
            return try JSONAnswer(PagedAnswer("classes", await self.wallet.classes(in: environment, page: wanted)))
                .response()
        }
        return try await self.firstPages.response(
            Part(environment: environment, limit: wanted.limit),
            to: request
        ) { wallet in PagedAnswer("classes", try await wallet.classes(in: environment, page: wanted)) }
    }

    @Sendable
    private func one(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<ClassSession> {
        let environment = try request.walletEnvironment()
        return JSONAnswer(try await self.wallet.classSession(context.parameters.knownClassID(), in: environment))
    }

    @Sendable
    private func policy(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<Policy> {
        // A policy's id has the form of a class's id; no policy has another one.
        guard let id = context.parameters.classID() else {
            throw Problem.notFound("policy-not-found", "No policy has this id.")
        }
        return JSONAnswer(try await self.wallet.policy(id))
    }
}

/// Creates, changes and cancels classes for operators.
///
/// - `PUT /operator/classes/{id}` (operator)
/// - `POST /operator/classes/{id}/cancel` (operator)
struct OperatorClassRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.put("operator/classes/:id", use: self.putClass)
        group.post("operator/classes/:id/cancel", use: self.cancelClass)
    }

    @Sendable
    private func putClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        guard let id = context.parameters.classID() else {
            throw Problem.malformed(
                "A class's id must be 1 to 64 of A-Z a-z 0-9 . _ : -; received "
                    + "\(Received(context.parameters.get("id") ?? ""))."
            )
        }
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKeyOrNew()
        let definition = try await request.json(ClassDefinition.self).checked()
        let session = try await self.wallet.putClass(id, definition, by: context.actor, key: key, in: environment)
        return JSONAnswer(session)
    }

    @Sendable
    private func cancelClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        let id = try context.parameters.knownClassID()
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKey()
        let reason = try await request.json(ClassCancellation.self, mayBeEmpty: true).checkedReason()
        return JSONAnswer(
            try await self.wallet.cancelClass(id, reason: reason, by: context.actor, key: key, in: environment)
        )
    }
}

/// The body of an operator's request to cancel a class.
struct ClassCancellation: Decodable {
    let reason: String

    /// Returns the reason after checking that it has 1 to 500 characters.
    func checkedReason() throws -> String {
        try OperatorText.check(self.reason, "reason", upTo: 500)
        return self.reason
    }
}
