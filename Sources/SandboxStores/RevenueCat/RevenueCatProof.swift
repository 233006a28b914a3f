import Crypto
import Foundation

/// The credentials that authenticate RevenueCat's webhooks.
struct RevenueCatProof: Sendable {
    static let header = "X-RevenueCat-Webhook-Signature"

    let authorization: String?
    let signingSecret: String?

    /// Returns the headers of one delivery; each attempt gets a new time and signature.
    func headers(for body: Data, at now: Date) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let authorization { headers.append(("Authorization", authorization)) }
        if let signingSecret {
            let seconds = Int64(now.timeIntervalSince1970)
            var signed = Data("\(seconds).".utf8)
            signed.append(body)
            let code = HMAC<SHA256>.authenticationCode(
                for: signed,
                using: SymmetricKey(data: Data(signingSecret.utf8))
            )
            let hex = code.map { String(format: "%02x", $0) }.joined()
            headers.append((Self.header, "t=\(seconds),v1=\(hex)"))
        }
        return headers
    }
}
