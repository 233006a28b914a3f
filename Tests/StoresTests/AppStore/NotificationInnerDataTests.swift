import Crypto
import Foundation
import Stores
import Testing

@Suite
struct NotificationInnerDataTests {
    let authority: SigningAuthority
    let verifier: SignedDataVerifier

    init() throws {
        self.authority = try SigningAuthority()
        self.verifier = try SignedData.verifier(under: self.authority)
    }

    private func refusal(of payload: [String: any Sendable]) async throws -> StoreError.Code? {
        let signed = try self.authority.sign(payload)
        return await code { () throws(StoreError) in try await self.verifier.notification(signed) }
    }

    private func refusal(transaction: String?) async throws -> StoreError.Code? {
        var data: [String: any Sendable] = [:]
        data["signedTransactionInfo"] = transaction
        return try await self.refusal(of: SignedData.notification("DID_RENEW", data: data))
    }

    private func event(transaction: String, renewal: String) async throws -> StoreEvent {
        try await self.verifier.notification(
            self.authority.sign(
                SignedData.notification(
                    "DID_RENEW",
                    data: ["signedTransactionInfo": transaction, "signedRenewalInfo": renewal]
                )
            )
        )
    }

    @Test
    func `the inner transaction must be signed, complete and from the store`() async throws {
        let good = try self.authority.sign(SignedData.period())
        #expect(try await self.refusal(transaction: good) == nil)
        let json = String(decoding: try JSONSerialization.data(withJSONObject: SignedData.period()), as: UTF8.self)
        #expect(try await self.refusal(transaction: json) == .unreadable)
        #expect(try await self.refusal(transaction: "") == .unreadable)
        #expect(try await self.refusal(transaction: nil) == .unreadable)
        let forged = try self.authority.sign(SignedData.period(), with: P256.Signing.PrivateKey())
        #expect(try await self.refusal(transaction: forged) == .unreadable)
        let foreign = try SigningAuthority().sign(SignedData.period())
        #expect(try await self.refusal(transaction: foreign) == .unreadable)
        let unmarked = try SigningAuthority { $0.leafIsMarked = false }.sign(SignedData.period())
        #expect(try await self.refusal(transaction: unmarked) == .unreadable)
    }

    @Test
    func `the inner transaction must be of the same app and environment`() async throws {
        let verifier = try SignedData.verifier(under: self.authority, { $0.bundleIDs.insert("com.example.second") })
        let second = try self.authority.sign(SignedData.period(["bundleId": "com.example.second"]))
        let signed = try self.authority.sign(
            SignedData.notification("DID_RENEW", data: ["signedTransactionInfo": second])
        )
        #expect(await code { () throws(StoreError) in try await verifier.notification(signed) } == .unreadable)
        let sandbox = try self.authority.sign(SignedData.period(["environment": "Sandbox"]))
        #expect(try await self.refusal(transaction: sandbox) == .unreadable)
        let tool = try self.authority.sign(SignedData.period(["environment": "Xcode"]))
        #expect(try await self.refusal(transaction: tool) == .unreadable)
    }

    @Test
    func `a production transaction does not validate an extra root's notification`() async throws {
        let extra = try SigningAuthority()
        let verifier = try SignedData.verifier(under: self.authority, { $0.extraRoots = [try extra.root.der] })
        let real = try self.authority.sign(SignedData.period())
        let signed = try extra.sign(SignedData.notification("DID_RENEW", data: ["signedTransactionInfo": real]))
        #expect(await code { () throws(StoreError) in try await verifier.notification(signed) } == .unreadable)
        let made = try extra.sign(SignedData.period())
        let whole = try extra.sign(SignedData.notification("DID_RENEW", data: ["signedTransactionInfo": made]))
        #expect(try await verifier.notification(whole).statements.first?.fact.environment == .sandbox)
        let mixed = try self.authority.sign(SignedData.notification("DID_RENEW", data: ["signedTransactionInfo": made]))
        #expect(await code { () throws(StoreError) in try await verifier.notification(mixed) } == .unreadable)
    }

    @Test
    func `invalid renewal information is omitted, and the transaction is used`() async throws {
        let good = try self.authority.sign(SignedData.period())
        let sandbox = try self.authority.sign(SignedData.renewal(["environment": "Sandbox"]))
        let forged = try self.authority.sign(SignedData.renewal(), with: P256.Signing.PrivateKey())
        for renewal in [sandbox, forged, good, "{}", "", "a.b.c"] {
            let event = try await self.event(transaction: good, renewal: renewal)
            #expect(event.statements.map(\.fact.transactionID) == ["2000000000000002"])
            #expect(event.statements.first?.fact.willRenew == nil)
            #expect(event.isPartlyUnreadable)
        }
        let whole = try await self.event(transaction: good, renewal: self.authority.sign(SignedData.renewal()))
        #expect(whole.statements.first?.fact.willRenew == true)
        #expect(!whole.isPartlyUnreadable)
    }

    @Test
    func `null renewal information has no effect`() async throws {
        let good = try self.authority.sign(SignedData.period())
        let event = try await self.event(transaction: good, renewal: self.authority.sign(bytes: Data("null".utf8)))
        #expect(event.statements.count == 1)
        #expect(event.statements.first?.fact.willRenew == nil)
        #expect(!event.isPartlyUnreadable)
    }

    @Test
    func `a signed message with an unreadable app or environment is kept for later`() async throws {
        let inner = try self.authority.sign(SignedData.period())
        for change: [String: any Sendable] in [
            ["bundleId": absent], ["environment": absent], ["environment": "Moon"], ["appAppleId": "1234"],
            ["status": "x"],
        ] {
            var data = change
            data["signedTransactionInfo"] = inner
            #expect(
                try await self.refusal(of: SignedData.notification("DID_RENEW", data: data)) == .unreadable,
                "\(change)"
            )
        }
        let strange = SignedData.notification(
            "SOMETHING",
            nil,
            data: [:],
            ["data": absent, "newThing": [String: String]()]
        )
        #expect(try await self.refusal(of: strange) == .unreadable)
        // A transaction is signed by the same key but is not a notification.
        #expect(try await self.refusal(of: SignedData.period()) == .wrongApp)
        #expect(
            try await self.refusal(of: SignedData.notification("DID_RENEW", data: ["bundleId": "org.example"]))
                == .wrongApp
        )
    }

    @Test
    func `a notification needs a valid id and type, and a date that is not in the future`() async throws {
        let inner = try self.authority.sign(SignedData.period())
        func refusal(_ change: [String: any Sendable]) async throws -> StoreError.Code? {
            try await self.refusal(
                of: SignedData.notification("DID_RENEW", nil, data: ["signedTransactionInfo": inner], change)
            )
        }
        for change: [String: any Sendable] in [
            ["notificationUUID": absent], ["notificationUUID": ""], ["notificationUUID": "a b"],
            ["notificationUUID": String(repeating: "a", count: 256)], ["notificationType": absent],
            ["notificationType": ""], ["signedDate": absent], ["notificationType": "A\nB"], ["notificationType": 5],
            ["signedDate": SignedData.milliseconds + 301_000], ["signedDate": "now"],
        ] {
            #expect(try await refusal(change) == .unreadable, "\(change)")
        }
        #expect(try await refusal(["signedDate": SignedData.milliseconds + 299_000]) == nil)
    }

    @Test
    func `a forged outer signature is refused regardless of its contents`() async throws {
        let inner = try self.authority.sign(SignedData.period())
        let payload = SignedData.notification("DID_RENEW", data: ["signedTransactionInfo": inner])
        let forged = try self.authority.sign(payload, with: P256.Signing.PrivateKey())
        #expect(
            await code { () throws(StoreError) in try await self.verifier.notification(forged) } == .invalidSignature
        )
        let foreign = try SigningAuthority().sign(payload)
        #expect(
            await code { () throws(StoreError) in try await self.verifier.notification(foreign) } == .invalidCertificate
        )
    }
}
