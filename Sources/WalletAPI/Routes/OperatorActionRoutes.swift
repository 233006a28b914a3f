import HTTPTypes
import Hummingbird
import Wallet

/// Runs operator actions, from bookings to the catalogue; each action writes one row to the audit log.
///
/// - `POST /operator/actions/{action}` (operator), with `?dry_run=true` to preview the changes and `?preview=` to apply
///   exactly the previewed changes
struct OperatorActionRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.post("operator/actions/:action", use: self.act)
    }

    @Sendable
    private func act(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<OperatorActionAnswer> {
        guard let name = context.parameters.get("action").flatMap(OperatorAction.Name.init) else {
            throw Problem.routeNotFound
        }
        let dryRun = try request.isDryRun()
        let environment = try request.walletEnvironment()
        let key = dryRun ? try request.idempotencyKeyIfSent() : try request.idempotencyKey()
        // The key is stored as the audit row's reference.
        if let key, key.utf8.count > 200 {
            throw Problem.header("Idempotency-Key", "must be 1 to 200 visible ASCII characters, once", [key])
        }
        let action = try await request.json(OperatorAction.self).checked(for: name, in: environment)
        let answer = try await self.wallet.act(
            name,
            action,
            by: context.actor,
            key: key,
            in: environment,
            dryRun: dryRun,
            shown: try request.preview()
        )
        return JSONAnswer(answer, headers: answer.replayed ? [.idempotentReplayed: "true"] : [:])
    }
}

extension OperatorAction {
    /// Refuses an action with missing or invalid members.
    ///
    /// - Parameters:
    ///   - name: The name of the action.
    ///   - environment: The request's environment; a body that names another environment is refused.
    /// - Returns: The action.
    /// - Throws: ``Problem`` 400 `malformed-request`.
    func checked(for name: Name, in environment: WalletEnvironment) throws -> OperatorAction {
        guard self.target.environment ?? environment == environment else {
            throw Problem.member(
                "environment",
                "must match Wallet-Environment (production if absent)",
                self.target.environment.map { Received($0.rawValue) }
            )
        }
        for (member, isThere) in self.target.needed(by: name) where !isThere {
            throw Problem.malformed("The member \"\(member)\" is required.")
        }
        if let user = self.target.userID { try OperatorText.check(user, "user_id", upTo: 320) }
        if let resolution = self.target.resolution, !["dismissed", "blocked"].contains(resolution) {
            throw Problem.member("resolution", "must be dismissed or blocked", Received(resolution))
        }
        try self.target.checkDefinition(for: name)
        try OperatorText.check(self.reason, "reason", upTo: 500)
        return self
    }
}

extension OperatorAction.Target {
    /// The members that an action requires, and whether each is present.
    fileprivate func needed(by name: OperatorAction.Name) -> [(member: String, isThere: Bool)] {
        let user = ("user_id", self.userID != nil)
        return switch name {
        case .cancelBooking, .waiveCancellation: [user, ("booking_id", self.bookingID != nil)]
        case .releasePurchase, .keepPurchase: [user, ("claim_id", self.claimID != nil)]
        case .resolveFlag: [("flag_id", self.flagID != nil), ("resolution", self.resolution != nil)]
        case .replayMessage: [("inbox_id", self.inboxID != nil)]
        case .resendEvent: [("event_id", self.eventID != nil)]
        case .setTester: [user, ("tester", self.tester != nil)]
        case .sendTestEvent: [user]
        case .putClass: [("class_id", self.classID != nil), ("class", self.classDefinition != nil)]
        case .cancelClass: [("class_id", self.classID != nil)]
        case .putProduct: [("product_id", self.productID != nil), ("product", self.product != nil)]
        }
    }

    /// Refuses an invalid class or product, and a definition that belongs to another action.
    fileprivate func checkDefinition(for name: OperatorAction.Name) throws {
        for (member, isThere, action) in [
            ("class", self.classDefinition != nil, OperatorAction.Name.putClass),
            ("product", self.product != nil, .putProduct),
        ] where isThere && name != action {
            throw Problem.malformed("Only \(action.rawValue) accepts the member \"\(member)\".")
        }
        if let id = self.classID, !ClassID.isValid(id) {
            throw Problem.member("class_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        if let id = self.productID, !ClassID.isValid(id, upTo: 128) {
            throw Problem.member("product_id", "must be 1 to 128 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        _ = try self.classDefinition?.checked()
        _ = try self.product?.checked()
    }
}
