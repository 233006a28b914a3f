import Foundation
import Stores
import Testing

@Suite
struct SignedDataIdentityTests {
    let authority: SigningAuthority
    let verifier: SignedDataVerifier

    init() throws {
        self.authority = try SigningAuthority()
        self.verifier = try SignedData.verifier(under: self.authority)
    }

    private func transaction(_ change: [String: any Sendable]) async throws -> StoreError.Code? {
        let signed = try self.authority.sign(SignedData.transaction(change))
        return await code { () throws(StoreError) in try await self.verifier.transaction(signed) }
    }

    @Test
    func `another app's transaction is refused`() async throws {
        for bundle: any Sendable in ["com.example.other", "", "\(appBundle) ", appBundle.uppercased(), absent] {
            #expect(try await self.transaction(["bundleId": bundle]) == .wrongApp)
        }
    }

    @Test
    func `a verifier without apps accepts none`() async throws {
        let verifier = try SignedData.verifier(under: self.authority, { $0.bundleIDs = [] })
        let signed = try self.authority.sign(SignedData.transaction())
        #expect(await code { () throws(StoreError) in try await verifier.transaction(signed) } == .wrongApp)
    }

    @Test
    func `a transaction of an unknown environment is refused`() async throws {
        for environment: any Sendable in ["production", "PRODUCTION", "Elsewhere", "", absent] {
            #expect(try await self.transaction(["environment": environment]) == .wrongEnvironment)
        }
        #expect(try await self.transaction(["environment": "Sandbox"]) == nil)
    }

    @Test
    func `an environment that is not accepted is refused`() async throws {
        let verifier = try SignedData.verifier(under: self.authority, { $0.environments = [.production] })
        let signed = try self.authority.sign(SignedData.transaction(["environment": "Sandbox"]))
        #expect(await code { () throws(StoreError) in try await verifier.transaction(signed) } == .wrongEnvironment)
        let renewal = try self.authority.sign(SignedData.renewal(["environment": "Sandbox"]))
        #expect(await code { () throws(StoreError) in try await verifier.renewalInfo(renewal) } == .wrongEnvironment)
    }

    @Test(arguments: ["Xcode", "LocalTesting"])
    func `development tools' data is refused even under a trusted signature`(environment: String) async throws {
        let named: [String: any Sendable] = ["environment": environment]
        let verifier = try SignedData.verifier(under: self.authority, { $0.extraRoots = [try self.authority.root.der] })
        let transaction = try self.authority.sign(SignedData.transaction(named))
        #expect(await code { () throws(StoreError) in try await verifier.transaction(transaction) } == .testSignature)
        let renewal = try self.authority.sign(SignedData.renewal(named))
        #expect(await code { () throws(StoreError) in try await verifier.renewalInfo(renewal) } == .testSignature)
        let app = try self.authority.sign(SignedData.appTransaction(["receiptType": environment]))
        #expect(await code { () throws(StoreError) in try await verifier.appTransaction(app) } == .testSignature)
        let notification = try self.authority.sign(SignedData.notification("TEST", data: named))
        #expect(await code { () throws(StoreError) in try await verifier.notification(notification) } == .testSignature)
    }

    @Test
    func `a development tool's data is recognized before its certificates are checked`() async throws {
        let one = Array(try self.authority.certificates.prefix(1))
        let signed = try self.authority.sign(SignedData.transaction(["environment": "Xcode"]), header: ["x5c": one])
        #expect(await code { () throws(StoreError) in try await self.verifier.transaction(signed) } == .testSignature)
    }

    @Test
    func `the app's Apple id is checked in production only`() async throws {
        for (number, environment, expected): (any Sendable, String, StoreError.Code?) in [
            (1_234, "Production", nil), (1_235, "Production", .wrongApp), (absent, "Production", .wrongApp),
            (1_235, "Sandbox", nil), (absent, "Sandbox", nil),
        ] {
            let members: [String: any Sendable] = ["appAppleId": number, "environment": environment]
            let notification = try self.authority.sign(SignedData.notification("TEST", data: members))
            #expect(
                await code { () throws(StoreError) in try await self.verifier.notification(notification) } == expected
            )
            let app = try self.authority.sign(
                SignedData.appTransaction(["appAppleId": number, "receiptType": environment])
            )
            #expect(await code { () throws(StoreError) in try await self.verifier.appTransaction(app) } == expected)
        }
        let unchecked = try SignedData.verifier(under: self.authority, { $0.appAppleIDs = [] })
        let app = try self.authority.sign(SignedData.appTransaction(["appAppleId": 9]))
        #expect(try await unchecked.appTransaction(app).payload.appAppleId == 9)
    }

    @Test
    func `one kind of signed data is not accepted as another`() async throws {
        let transaction = try self.authority.sign(SignedData.period())
        let renewal = try self.authority.sign(SignedData.renewal())
        let app = try self.authority.sign(SignedData.appTransaction())
        let notification = try self.authority.sign(SignedData.notification("TEST"))
        let verifier = self.verifier
        #expect(await code { () throws(StoreError) in try await verifier.notification(transaction) } == .wrongApp)
        #expect(await code { () throws(StoreError) in try await verifier.notification(renewal) } == .wrongApp)
        #expect(await code { () throws(StoreError) in try await verifier.notification(app) } == .wrongApp)
        #expect(await code { () throws(StoreError) in try await verifier.transaction(notification) } == .wrongApp)
        #expect(await code { () throws(StoreError) in try await verifier.transaction(renewal) } == .wrongApp)
        #expect(await code { () throws(StoreError) in try await verifier.transaction(app) } == .wrongEnvironment)
        #expect(
            await code { () throws(StoreError) in try await verifier.appTransaction(transaction) } == .wrongEnvironment
        )
        #expect(await code { () throws(StoreError) in try await verifier.appTransaction(renewal) } == .wrongApp)
        #expect(await code { () throws(StoreError) in try await verifier.renewalInfo(transaction) } == .unreadable)
        #expect(
            await code { () throws(StoreError) in try await verifier.renewalInfo(notification) } == .wrongEnvironment
        )
        #expect(await code { () throws(StoreError) in try await verifier.renewalInfo(app) } == .wrongEnvironment)
    }
}
