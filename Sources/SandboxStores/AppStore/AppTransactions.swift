public import Foundation
import Hummingbird
import JSON
import NIOCore

extension SandboxStores {
    private struct NewAppTransaction: Decodable {
        let userId: String
        let environment: String?
        let bundleId: String?
    }

    /// The root certificate of the signed data of these stores, in DER.
    public var rootCertificate: Data { self.authority.root }

    func addAppStoreControls(to router: Router<SandboxContext>) {
        router.get("sandbox/root.cer") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/pkix-cert"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: self.rootCertificate))
            )
        }
        router.post("sandbox/app-transactions") { request, context in
            let new = try await request.control(NewAppTransaction.self, context)
            return ["app_transaction": try await self.appTransaction(new)]
        }
    }

    private func appTransaction(_ new: NewAppTransaction) async throws -> String {
        guard !new.userId.isEmpty else { throw ControlRefusal.invalid("The member \"user_id\" must not be empty.") }
        guard let environment = SandboxTransaction.Environment(rawValue: new.environment ?? "production") else {
            throw ControlRefusal.member(
                "environment",
                "must be production or sandbox",
                received: new.environment ?? ""
            )
        }
        let bundleID = new.bundleId ?? self.configuration.bundleID
        return try self.writer.signedAppTransaction(
            id: try await self.ledger.appTransactionID(of: new.userId, bundleID: bundleID, environment: environment),
            bundleID: bundleID,
            environment: environment,
            at: await self.ledger.nextInstant
        )
    }
}

extension SandboxLedger {
    /// Returns the id of a user's copy of an app.
    func appTransactionID(
        of userID: String,
        bundleID: String,
        environment: SandboxTransaction.Environment
    ) throws -> String {
        let key = SandboxTransaction.receiptKey(of: userID, bundleID: bundleID, environment: environment)
        return try self.change { $0.appTransactionID(for: key) }
    }
}

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
        var payload: [String: JSONValue] = [
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
        if environment == .production { payload["appAppleId"] = .integer(self.appAppleID) }
        return try self.signer.sign(payload)
    }
}
