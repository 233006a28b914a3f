import Foundation
import Stores

enum APISigner {
    static let appAppleID = 1_234

    static func sign(_ members: [String: any Sendable]) throws -> String {
        let p = try JSONSerialization.data(withJSONObject: members).base64EncodedString().replacingOccurrences(
            of: "+",
            with: "-"
        ).replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        return "e30.\(p).AAAA"
    }
}

extension SignedDataVerifier {
    static func forAPIStore() -> SignedDataVerifier { SignedDataVerifier() }
}
