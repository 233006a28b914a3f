/// The credentials that authenticate RevenueCat's webhooks, and the currency that they may grant.
///
/// There are two kinds of proof, and every configured kind must be valid for every message. Without any proof, all
/// messages are refused: an open webhook would grant credits to any sender.
public struct RevenueCatWebhookConfiguration: Sendable {
    /// The header that RevenueCat documents for signatures.
    public static let documentedSignatureHeader = "X-RevenueCat-Webhook-Signature"

    /// The accepted values of the `Authorization` header; several while one is being replaced.
    public var authorizations: [String]
    /// The signing secrets, as shown once in RevenueCat's dashboard; several while one is being replaced.
    public var signingSecrets: [String]
    /// The header that carries the signature.
    public var signatureHeader: String
    /// The maximum difference between a signature's time and now, in either direction; default 300 s.
    public var tolerance: Duration
    /// The code of the virtual currency whose transactions grant credits; nil if purchases grant them.
    ///
    /// A product is granted either by its purchase or by its currency transaction, never by both.
    public var currencyCode: String?
    /// The maximum size of a message in bytes; default 1 MiB.
    public var maximumBodyBytes: Int

    /// Creates a configuration.
    /// - Parameters:
    ///   - authorizations: The accepted values of the `Authorization` header.
    ///   - signingSecrets: The signing secrets.
    ///   - signatureHeader: The header that carries the signature.
    ///   - currencyCode: The code of the virtual currency whose transactions grant credits.
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

    /// A Boolean value that indicates whether at least one proof is configured and none is empty text, which any sender
    /// could present.
    public var isComplete: Bool {
        let proofs = self.authorizations + self.signingSecrets
        return !proofs.isEmpty && proofs.allSatisfy { !$0.isEmpty }
    }
}
