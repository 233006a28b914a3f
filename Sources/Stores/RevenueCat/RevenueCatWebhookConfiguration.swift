/// How RevenueCat's webhooks prove that RevenueCat sent them, and what they may grant.
///
/// There are two kinds of proof, and each that has a value here must hold for every message. Without any, nothing is
/// taken: an open webhook would give credits to anyone who finds it.
public struct RevenueCatWebhookConfiguration: Sendable {
    /// The header that RevenueCat documents for signatures.
    public static let documentedSignatureHeader = "X-RevenueCat-Webhook-Signature"

    /// The exact values of the `Authorization` header that are accepted; several while one is being replaced.
    public var authorizations: [String]
    /// The signing secrets, as shown once in RevenueCat's dashboard; several while one is being replaced.
    public var signingSecrets: [String]
    /// The header that carries the signature.
    public var signatureHeader: String
    /// How far a signature's time may be from now, before or after; default 300 s.
    public var tolerance: Duration
    /// The code of the virtual currency whose transactions are the wallet's grants; nil where purchases are.
    ///
    /// One product is granted by its purchase or by its currency transaction, never by both.
    public var currencyCode: String?
    /// How large a message may be; default 1 MiB.
    public var maximumBodyBytes: Int

    /// Creates a configuration.
    /// - Parameters:
    ///   - authorizations: the exact values of the `Authorization` header that are accepted.
    ///   - signingSecrets: the signing secrets.
    ///   - signatureHeader: the header that carries the signature.
    ///   - currencyCode: the code of the virtual currency whose transactions are the wallet's grants.
    public init(
        authorizations: [String] = [],
        signingSecrets: [String] = [],
        signatureHeader: String = Self.documentedSignatureHeader,
        currencyCode: String? = nil
    ) {
        self.authorizations = authorizations
        self.signingSecrets = signingSecrets
        self.signatureHeader = signatureHeader
        self.tolerance = .seconds(300)
        self.currencyCode = currencyCode
        self.maximumBodyBytes = 1_024 * 1_024
    }

    /// True where at least one proof is configured, and none of them is empty text, which anyone could present.
    public var isComplete: Bool {
        let proofs = self.authorizations + self.signingSecrets
        return !proofs.isEmpty && proofs.allSatisfy { !$0.isEmpty }
    }
}
