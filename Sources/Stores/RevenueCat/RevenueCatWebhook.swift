import Crypto
public import Foundation

/// Authenticates and reads RevenueCat's webhooks.
///
/// The type keeps no state. A message that arrives twice is read twice; the inbox detects the duplicate by its id.
/// Secrets, user ids and bodies do not appear in errors.
public struct RevenueCatWebhook: Sendable {
    /// The header field that carries the signature.
    public var signatureHeader: String { self.configuration.signatureHeader }

    private let configuration: RevenueCatWebhookConfiguration
    private let now: @Sendable () -> Date
    /// The key under which header values are compared by their HMACs, so that the comparison takes constant time.
    private let comparisonKey = SymmetricKey(size: .bits256)

    /// Creates a reader of webhooks.
    /// - Parameters:
    ///   - configuration: The accepted credentials and the currency that grants credits.
    ///   - now: The wallet's clock.
    public init(configuration: RevenueCatWebhookConfiguration, now: @escaping @Sendable () -> Date = { Date() }) {
        self.configuration = configuration
        self.now = now
    }

    /// Checks every configured kind of proof; all of them must be valid.
    /// - Parameters:
    ///   - authorization: The value of the `Authorization` header.
    ///   - signature: The value of the header that ``RevenueCatWebhookConfiguration/signatureHeader`` specifies.
    ///   - body: The body's bytes as received; decoding and encoding them again would invalidate the signature.
    /// - Throws: ``StoreError``: `misconfigured` if no proof is configured or one is empty text, `unauthenticated` if a
    ///   proof is invalid or a signature's time is outside the tolerance, `unreadable` for a body that is too large.
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
    /// An unknown type is not an error: it is returned as ignored, with its id.
    /// - Parameter body: The body's bytes.
    /// - Returns: The event that the message reports.
    /// - Throws: ``StoreError`` `unreadable` if the body is not an event or lacks a member that its type requires.
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
