import Hummingbird
import Wallet

/// What every function of the face does alike: finding the wallet that a request is about, and answering.
struct SupabaseResponder {
    let wallet: Wallet

    /// Returns which of the caller's wallets is meant.
    ///
    /// The apps that call the face know of one wallet only, so testers act on sandbox without asking for it; a client
    /// that does name an environment gets that one.
    func environment(_ request: Request, _ context: UserRequestContext) async throws -> WalletEnvironment {
        if request.headers[.walletEnvironment] != nil { return try request.walletEnvironment() }
        return try await self.wallet.isTester(context.user) ? .sandbox : .production
    }

    func answer<Value: Encodable & Sendable>(
        _ value: Value,
        _ context: UserRequestContext
    ) -> JSONAnswer<Envelope<Value>> {
        JSONAnswer(Envelope(value, requestID: context.requestID))
    }

    func answer<Item: Encodable & Sendable>(
        _ rows: [Item],
        of total: Int,
        _ part: OffsetQuery,
        _ context: UserRequestContext
    ) -> JSONAnswer<Envelope<[Item]>> {
        JSONAnswer(Envelope(rows, of: total, part: part, requestID: context.requestID))
    }
}
