import Crypto
import Foundation
import Stores
import Synchronization
import Testing

/// Tests that valid certificates are cached, and that the cache accepts nothing that a full check would refuse.
@Suite
struct CertificateMemoryTests {
    private static func refusal(of text: String, by verifier: SignedDataVerifier) async -> StoreError.Code? {
        await code { () throws(StoreError) in try await verifier.transaction(text) }
    }

    @Test
    func `every signature is checked even under cached certificates`() async throws {
        let authority = try SigningAuthority()
        let verifier = try SignedData.verifier(under: authority)
        let signed = try authority.sign(SignedData.transaction())
        #expect(await Self.refusal(of: signed, by: verifier) == nil)
        let dear = try authority.sign(SignedData.transaction(["quantity": 10])).split(separator: ".")
        let parts = signed.split(separator: ".")
        let other = try authority.sign(SignedData.transaction(), with: P256.Signing.PrivateKey())
        for text in ["\(parts[0]).\(dear[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(dear[2])", other] {
            #expect(await Self.refusal(of: text, by: verifier) == .invalidSignature)
        }
        let notification = try authority.sign(
            SignedData.notification("ONE_TIME_CHARGE", data: ["signedTransactionInfo": other])
        )
        #expect(
            await code { () throws(StoreError) in try await verifier.notification(notification) } == .unreadable
        )
        #expect(await Self.refusal(of: signed, by: verifier) == nil)
    }

    @Test
    func `cached certificates keep their validity period`() async throws {
        let authority = try SigningAuthority()
        let verifier = try SignedData.verifier(under: authority)
        let day = 24 * SignedData.hour
        for (days, expected) in [
            (0, nil), (201, StoreError.Code.invalidCertificate), (-201, .invalidCertificate), (199, nil), (-199, nil),
        ] {
            let signed = try authority.sign(
                SignedData.transaction(["signedDate": SignedData.milliseconds + Int64(days) * day])
            )
            #expect(await Self.refusal(of: signed, by: verifier) == expected, "\(days)")
        }
    }

    @Test
    func `the signer of one certificate cannot sign for another of the same issuer`() async throws {
        let authority = try SigningAuthority()
        let verifier = try SignedData.verifier(under: authority)
        let key = P256.Signing.PrivateKey()
        var certificates = try authority.certificates
        certificates[0] = Data(try authority.certificate(for: key).der).base64EncodedString()
        let header: [String: any Sendable] = ["x5c": certificates]
        let payload = SignedData.transaction()
        for _ in 0..<2 {
            #expect(await Self.refusal(of: try authority.sign(payload), by: verifier) == nil)
            #expect(await Self.refusal(of: try authority.sign(payload, header: header, with: key), by: verifier) == nil)
            #expect(await Self.refusal(of: try authority.sign(payload, with: key), by: verifier) == .invalidSignature)
            #expect(
                await Self.refusal(of: try authority.sign(payload, header: header), by: verifier) == .invalidSignature
            )
        }
    }

    @Test
    func `the cache of one verifier does not affect a verifier with other roots`() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedData.transaction())
        let root = try authority.root.der
        #expect(await Self.refusal(of: signed, by: try SignedData.verifier(under: authority)) == nil)
        let stranger = try SignedData.verifier(under: try SigningAuthority())
        #expect(await Self.refusal(of: signed, by: stranger) == .invalidCertificate)
        let further = try SignedData.verifier(under: try SigningAuthority(), { $0.extraRoots = [root] })
        #expect(try await further.transaction(signed).environment == .sandbox)
        #expect(try await SignedData.verifier(under: authority).transaction(signed).environment == .production)
    }

    @Test
    func `forgers push nothing out of the memory, and it holds no more than it may`() async throws {
        let responder = RevocationResponder(.good)
        try await responder.run { authority in
            let verifier = try SignedData.verifier(under: authority, { $0.checksRevocation = true })
            let signed = try authority.sign(SignedData.transaction())
            #expect(await Self.refusal(of: signed, by: verifier) == nil)
            for _ in 0..<40 {
                let forged = try SigningAuthority().sign(SignedData.transaction())
                #expect(await Self.refusal(of: forged, by: verifier) == .invalidCertificate)
            }
            for number in 0..<40 {
                let forged = try authority.sign(SignedData.transaction(), header: ["kid": "\(number)"])
                #expect(await Self.refusal(of: forged.dropLast(8) + "AAAAAAAA", by: verifier) == .invalidSignature)
            }
            #expect(await Self.refusal(of: signed, by: verifier) == nil)
            #expect(responder.questions.withLock { $0 } == 1, "it is remembered")
            var certificates = try authority.certificates
            for _ in 0..<40 {
                let key = P256.Signing.PrivateKey()
                certificates[0] = Data(try authority.certificate(for: key).der).base64EncodedString()
                let other = try authority.sign(SignedData.transaction(), header: ["x5c": certificates], with: key)
                #expect(await Self.refusal(of: other, by: verifier) == nil)
            }
            responder.answer.withLock { $0 = .revoked }
            #expect(await Self.refusal(of: signed, by: verifier) == .invalidCertificate)
            #expect(responder.questions.withLock { $0 } == 2, "it was forgotten, and asked about again")
        }
    }
}
