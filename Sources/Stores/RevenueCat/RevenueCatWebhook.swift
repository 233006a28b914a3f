import Crypto
public import Foundation

/// Takes RevenueCat's webhooks: first the proof that RevenueCat sent one, then what it says.
///
/// It remembers nothing. A message that comes twice is read twice; its id is the same both times, and the inbox knows it
/// by that. Secrets, user ids and bodies are in no error.
public struct RevenueCatWebhook: Sendable {
    /// The header field that carries the signature.
    public var signatureHeader: String { self.configuration.signatureHeader }

    private let configuration: RevenueCatWebhookConfiguration
    private let now: @Sendable () -> Date
    /// Given values are compared by their codes under this key, so that the time taken does not depend on the right one.
    private let comparisonKey = SymmetricKey(size: .bits256)

    /// Creates a reader of webhooks.
    /// - Parameters:
    ///   - configuration: the proofs, and the currency that grants.
    ///   - now: the wallet's clock.
    public init(configuration: RevenueCatWebhookConfiguration, now: @escaping @Sendable () -> Date = { Date() }) {
        self.configuration = configuration
        self.now = now
    }

    /// Checks every proof that is configured; all of them must hold.
    /// - Parameters:
    ///   - authorization: the value of the `Authorization` header.
    ///   - signature: the value of the header that
    ///     ``RevenueCatWebhookConfiguration/signatureHeader`` names.
    ///   - body: the body's bytes as they came; one that was decoded and encoded again has another signature.
    /// - Throws: ``StoreError``: `misconfigured` while no proof is configured or one is empty text, `unauthenticated`
    ///   where one does not hold or a signature is too old or too new, `unreadable` for a body that is too large.
    public func verify(authorization: String?, signature: String?, body: Data) throws(StoreError) {
        guard self.configuration.isComplete else { throw StoreError(.misconfigured) }
        guard body.count <= self.configuration.maximumBodyBytes else { throw StoreError(.unreadable) }
        if !self.configuration.authorizations.isEmpty {
            guard let authorization, self.isAccepted(authorization) else { throw StoreError(.unauthenticated) }
        }
        if !self.configuration.signingSecrets.isEmpty {
            guard
                let signature = signature.flatMap(RevenueCatSignature.init),
                signature.isFresh(at: self.now(), tolerance: self.configuration.tolerance),
                signature.isValid(for: body, secrets: self.configuration.signingSecrets)
            else { throw StoreError(.unauthenticated) }
        }
    }

    /// Reads a message; call it only after ``verify(authorization:signature:body:)``.
    ///
    /// A type that this build does not know is no error: it comes back as ignored, with its id.
    /// - Parameter body: the body's bytes.
    /// - Returns: what the message says.
    /// - Throws: ``StoreError`` `unreadable` for a body that is no event, or an event without what its type must have.
    public func event(from body: Data) throws(StoreError) -> StoreEvent {
        guard body.count <= self.configuration.maximumBodyBytes else { throw StoreError(.unreadable) }
        let message = try RevenueCatMessage(
            body,
            receivedAt: self.now(),
            currencyCode: self.configuration.currencyCode
        )
        return try message.event()
    }

    private func isAccepted(_ authorization: String) -> Bool {
        let given = Data(authorization.utf8)
        var isAccepted = false
        for accepted in self.configuration.authorizations {
            let code = HMAC<SHA256>.authenticationCode(for: Data(accepted.utf8), using: self.comparisonKey)
            let matches = HMAC<SHA256>.isValidAuthenticationCode(
                code,
                authenticating: given,
                using: self.comparisonKey
            )
            isAccepted = matches || isAccepted
        }
        return isAccepted
    }
}
