import Crypto
import Foundation

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
