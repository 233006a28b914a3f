import Crypto
import Foundation

/// The signature of one event by the rules of Standard Webhooks.
enum EventSignature {
    /// Signs `id.timestamp.body` with each secret.
    ///
    /// - Parameters:
    ///   - id: The event's id for the receiver.
    ///   - timestamp: Seconds since 1970.
    ///   - body: The body as it is sent.
    ///   - secrets: The secrets.
    /// - Returns: `v1,` and the signature in base64 for each secret, separated by spaces.
    static func header(id: String, timestamp: Int, body: String, secrets: [Data]) -> String {
        let message = Data("\(id).\(timestamp).\(body)".utf8)
        return secrets.map { secret in
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret))
            return "v1,\(Data(code).base64EncodedString())"
        }.joined(separator: " ")
    }
}
