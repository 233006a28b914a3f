import Foundation

/// The request of an app server to the verification endpoint.
struct VerificationRequest: Decodable, Sendable {
    let receiptData: String?
    let password: String?

    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
    }
}

extension SandboxLedger {
    /// Answers a request to the verification endpoint of one environment, with the store's own statuses.
    /// - Parameters:
    ///   - request: The request; nil if it could not be read.
    ///   - side: The called environment.
    ///   - sharedSecret: The app's secret, nil if it has none.
    /// - Returns: The answer's body.
    func verify(
        _ request: VerificationRequest?,
        on side: SandboxTransaction.Environment,
        sharedSecret: String?
    ) -> AppleJSON {
        guard
            let text = request?.receiptData,
            let token = Data(base64Encoded: text)?.base64EncodedString(), !token.isEmpty
        else { return Self.status(21_002) }
        guard let receipt = self.state.tokens[token].flatMap({ self.state.receipts[$0] }) else {
            return Self.status(21_003)
        }
        guard receipt.environment == side else { return Self.status(side == .production ? 21_007 : 21_008) }
        let transactions = receipt.transactionIDs.compactMap { self.state.transactions[$0] }
        guard Self.accepts(request?.password, for: transactions, sharedSecret: sharedSecret) else {
            return Self.status(21_004)
        }
        return VerificationAnswer(
            receipt: receipt,
            transactions: transactions,
            chains: self.state.chains,
            token: token,
            now: self.now
        ).body
    }

    /// Returns an answer that contains only a status.
    static func status(_ status: Int, isRetryable: Bool? = nil) -> AppleJSON {
        var body: [String: AppleJSON] = ["status": .number(status)]
        if let isRetryable { body["is-retryable"] = .flag(isRetryable) }
        return .object(body)
    }

    /// A wrong secret is always refused; a missing one is refused only for receipts with subscriptions.
    private static func accepts(
        _ password: String?,
        for transactions: [SandboxTransaction],
        sharedSecret: String?
    ) -> Bool {
        guard let sharedSecret else { return true }
        if let password { return SharedSecret.isSame(password, as: sharedSecret) }
        return !transactions.contains { $0.kind == .subscription }
    }
}
