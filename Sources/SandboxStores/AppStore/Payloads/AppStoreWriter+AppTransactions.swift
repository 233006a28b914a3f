import Foundation

extension AppStoreWriter {
    /// Returns a user's app transaction as signed data.
    /// - Parameters:
    ///   - id: The id of the user's copy of the app.
    ///   - bundleID: The app.
    ///   - environment: The store environment.
    ///   - now: The stores' time.
    /// - Returns: The compact JWS.
    /// - Throws: The signing key's errors.
    func signedAppTransaction(
        id: String,
        bundleID: String,
        environment: SandboxTransaction.Environment,
        at now: Date
    ) throws -> String {
        var payload: [String: AppleJSON] = [
            "appTransactionId": .text(id),
            "bundleId": .text(bundleID),
            "receiptType": Self.name(of: environment),
            "applicationVersion": .text("1"),
            "originalApplicationVersion": .text("1.0"),
            "originalPlatform": .text("iOS"),
            "originalPurchaseDate": .milliseconds(now),
            "receiptCreationDate": .milliseconds(now),
            "requestDate": .milliseconds(now),
            "deviceVerification": .text(
                Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
            ),
            "deviceVerificationNonce": .text(UUID().uuidString.lowercased()),
        ]
        if environment == .production { payload["appAppleId"] = .number(Int(self.appAppleID)) }
        return try self.signer.sign(payload)
    }
}
