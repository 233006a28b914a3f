import Crypto
import Foundation

/// Signs an event according to Standard Webhooks.
enum EventSignature {
    /// Signs `id.timestamp.body` with each secret.
    ///
    /// - Parameters:
    ///   - id: The event's id for the receiver.
    ///   - timestamp: The number of seconds since 1970.
    ///   - body: The body of the request.
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
