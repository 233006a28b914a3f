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

/// The signature header of RevenueCat's webhooks: `t=<seconds>,v1=<hex>`, with several `v1` while a secret is rotated.
struct RevenueCatSignature {
    private static let maximumBytes = 4_096
    private static let maximumCodes = 10

    /// The signing time, with the same digits as in the signed text.
    private var signedAt = ""
    private var codes: [[UInt8]] = []

    /// Parses a header; unknown fields are ignored, since it may contain newer signature schemes.
    ///
    /// Returns nil if the time is missing, duplicate or not numeric, or if there is no signature code.
    /// - Parameter header: The header's value.
    init?(_ header: String) {
        guard header.utf8.count <= Self.maximumBytes else { return nil }
        for field in header.split(separator: ",") {
            let parts = field.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "t":
                guard self.signedAt.isEmpty, Self.isTime(parts[1]) else { return nil }
                self.signedAt = String(parts[1])
            case "v1":
                if let code = Self.bytes(ofHex: parts[1]) { self.codes.append(code) }
            default: continue
            }
        }
        guard !self.signedAt.isEmpty, !self.codes.isEmpty, self.codes.count <= Self.maximumCodes else { return nil }
    }

    /// Returns `true` if the signing time differs from now by at most the tolerance, in either direction.
    func isFresh(at now: Date, tolerance: Duration) -> Bool {
        guard let seconds = Double(self.signedAt) else { return false }
        let distance = Duration.seconds(abs(seconds - now.timeIntervalSince1970))
        return distance <= tolerance
    }

    /// Returns `true` if one of the codes matches the raw body under one of the secrets.
    ///
    /// All pairs are compared even after a match, and each comparison takes constant time.
    func isValid(for body: Data, secrets: [String]) -> Bool {
        let message = Data("\(self.signedAt).".utf8) + body
        var isValid = false
        for secret in secrets {
            let key = SymmetricKey(data: Data(secret.utf8))
            for code in self.codes {
                let matches = HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
                isValid = matches || isValid
            }
        }
        return isValid
    }

    private static func isTime(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func bytes(ofHex text: Substring) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 2 * SHA256.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = self.value(of: digits[index]), let low = self.value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
