import Crypto
import Foundation
import Testing

@testable import Stores

@Suite
struct SignedDataTrustTests {
    private func refusal(
        of text: String,
        under authority: SigningAuthority,
        _ change: (inout SignedDataConfiguration) -> Void = { _ in }
    ) async throws -> StoreError.Code? {
        let verifier = try SignedData.verifier(under: authority, change)
        return await code { () throws(StoreError) in try await verifier.transaction(text) }
    }

    @Test
    func `the pinned root is the App Store's`() {
        let digest = SHA256.hash(data: AppleRootCertificate.g3).map { String(format: "%02X", $0) }.joined()
        #expect(digest == "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179")
        #expect(SignedDataConfiguration(bundleIDs: []).roots == [AppleRootCertificate.g3])
    }

    @Test
    func `a leaf certificate without the store's extension is refused`() async throws {
        let authority = try SigningAuthority { $0.leafIsMarked = false }
        let signed = try authority.sign(SignedData.transaction())
        #expect(try await self.refusal(of: signed, under: authority) == .invalidCertificate)
    }

    @Test
    func `an intermediate certificate without the store's extension is refused`() async throws {
        let authority = try SigningAuthority { $0.intermediateIsMarked = false }
        let signed = try authority.sign(SignedData.transaction())
        #expect(try await self.refusal(of: signed, under: authority) == .invalidCertificate)
    }

    @Test
    func `another root is refused even if the data brings it along`() async throws {
        let stranger = try SigningAuthority()
        let signed = try stranger.sign(SignedData.transaction())
        #expect(try await self.refusal(of: signed, under: try SigningAuthority()) == .invalidCertificate)
        #expect(
            try await self.refusal(of: signed, under: stranger, { $0.roots = [AppleRootCertificate.g3] })
                == .invalidCertificate
        )
        #expect(try await self.refusal(of: signed, under: stranger) == nil)
    }

    @Test
    func `the third certificate is ignored`() async throws {
        let authority = try SigningAuthority()
        let certificates = Array(try authority.certificates.prefix(2)) + ["anything"]
        let signed = try authority.sign(SignedData.transaction(), header: ["x5c": certificates])
        #expect(try await self.refusal(of: signed, under: authority) == nil)
    }

    @Test
    func `certificates in another order, or of two authorities, are refused`() async throws {
        let authority = try SigningAuthority()
        let (own, other) = (try authority.certificates, try SigningAuthority().certificates)
        for certificates in [
            [own[1], own[0], own[2]], [own[2], own[1], own[0]], [own[0], own[2], own[1]], [own[0], other[1], own[2]],
            [own[0], own[0], own[0]], [other[0], own[1], own[2]],
        ] {
            let signed = try authority.sign(SignedData.transaction(), header: ["x5c": certificates])
            #expect(try await self.refusal(of: signed, under: authority) == .invalidCertificate)
        }
    }

    @Test
    func `a leaf key of another type is refused`() async throws {
        let authority = try SigningAuthority { $0.leafIsP384 = true }
        let signed = try authority.sign(SignedData.transaction())
        #expect(try await self.refusal(of: signed, under: authority) == .invalidCertificate)
    }

    @Test
    func `certificates count as of when the data was signed`() async throws {
        let authority = try SigningAuthority {
            $0.leafFrom = signingTime.addingTimeInterval(-20 * 86_400)
            $0.leafUntil = signingTime.addingTimeInterval(-10 * 86_400)
        }
        let verifier = try SignedData.verifier(under: authority)
        for (days, expected) in [
            (-21, StoreError.Code.invalidCertificate), (-15, nil), (-9, .invalidCertificate), (-19, nil),
        ] {
            let at = SignedData.milliseconds + Int64(days) * 24 * SignedData.hour
            let signed = try authority.sign(SignedData.transaction(["signedDate": at]))
            #expect(
                await code { () throws(StoreError) in try await verifier.transaction(signed) } == expected,
                "\(days)"
            )
        }
        let undated = try authority.sign(SignedData.transaction(["signedDate": absent]))
        #expect(await code { () throws(StoreError) in try await verifier.transaction(undated) } == .invalidCertificate)
        let app = try authority.sign(
            SignedData.appTransaction(["receiptCreationDate": SignedData.milliseconds - 15 * 24 * SignedData.hour])
        )
        #expect(try await verifier.appTransaction(app).environment == .production)
    }

    @Test(arguments: [253_402_300_800_000, 1e15, 1e300, -62_167_219_200_001, -1e15, -1e300])
    func `no year that strangers make up stops the process`(milliseconds: Double) async throws {
        let signed = try SigningAuthority().sign(SignedData.transaction(["signedDate": milliseconds]))
        #expect(try await self.refusal(of: signed, under: try SigningAuthority()) == .invalidCertificate)
    }

    /// A certificate that is valid until 9999-12-31T23:59:60Z, which is the year 10000 for the X509 library.
    private static let untilLeapSecond = [
        "MIIBBjCBraADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAXgwIBcNMjAwMTAxMDAwMDAwWhgPOTk5OTEyMzEyMzU5NjBa",
        "MAwxCjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATXmhEoZHpV+CBdr3NDyyB9jr3zi9GUDAbxJGf6vaYuS8FF",
        "1saL9vnbO3ljIyEIitWfmBP9bNhAkdJkIQaG7nmwMAoGCCqGSM49BAMCA0gAMEUCIQC927I0pFR0BWiRwn1MopJ3EWxvfovu0/YK",
        "/DFXn/j6mwIgZGGAfJLXdXHBu0VMhfliuKXsdcSC49zlMGm9J4/2RLg=",
    ].joined()

    @Test(arguments: [253_402_300_799_000, 253_402_300_799_500, 253_402_300_799_999, 253_402_300_799_999.9])
    func `an instant that rounds to the year 10000 is refused`(signedAt: Double) async throws {
        let certificates = [Self.untilLeapSecond, Self.untilLeapSecond, "x"]
        let payload = SignedData.transaction(["signedDate": signedAt])
        let signed = try SigningAuthority().sign(payload, header: ["x5c": certificates])
        #expect(try await self.refusal(of: signed, under: try SigningAuthority()) == .invalidCertificate)
    }

    @Test
    func `a payload or a header that was changed is refused`() async throws {
        let authority = try SigningAuthority()
        let cheap = try authority.sign(SignedData.transaction()).split(separator: ".").map(String.init)
        let dear = try authority.sign(SignedData.transaction(["quantity": 10])).split(separator: ".").map(String.init)
        let swapped = try authority.sign(SignedData.transaction(), header: ["kid": "other"]).split(separator: ".")
        let verifier = try SignedData.verifier(under: authority)
        for parts in [
            [cheap[0], dear[1], cheap[2]], [String(swapped[0]), cheap[1], cheap[2]], [cheap[0], cheap[1], dear[2]],
        ] {
            let text = parts.joined(separator: ".")
            #expect(await code { () throws(StoreError) in try await verifier.transaction(text) } == .invalidSignature)
        }
        #expect(try await verifier.transaction(cheap.joined(separator: ".")).payload.quantity == 1)
    }

    @Test
    func `a signature by another key, of zeros or of another length is refused`() async throws {
        let authority = try SigningAuthority()
        let other = try authority.sign(SignedData.transaction(), with: P256.Signing.PrivateKey())
        #expect(try await self.refusal(of: other, under: authority) == .invalidSignature)
        let input = other.split(separator: ".").dropLast().joined(separator: ".")
        for length in [0, 1, 63, 64, 65, 72, 96] {
            let text = "\(input).\(Data(repeating: 0, count: length).base64URL)"
            #expect(try await self.refusal(of: text, under: authority) == .invalidSignature, "\(length)")
        }
        let der = try authority.key.signature(for: Data(input.utf8)).derRepresentation
        #expect(try await self.refusal(of: "\(input).\(der.base64URL)", under: authority) == .invalidSignature)
    }

    @Test
    func `what a further root signed counts as sandbox whatever it says`() async throws {
        let authority = try SigningAuthority()
        let verifier = try SignedData.verifier(
            under: authority,
            {
                $0.roots = [AppleRootCertificate.g3]
                $0.extraRoots = [try authority.root.der]
            }
        )
        let signed = try authority.sign(SignedData.transaction())
        #expect(try await verifier.transaction(signed).environment == .sandbox)
        #expect(try await verifier.transaction(signed).fact(source: .signedTransaction).environment == .sandbox)
        #expect(try await verifier.renewalInfo(try authority.sign(SignedData.renewal())).environment == .sandbox)
        let app = try authority.sign(SignedData.appTransaction(["appAppleId": absent]))
        #expect(try await verifier.appTransaction(app).environment == .sandbox)
        // The id must not identify the owner of the app copy, because it may be a production id.
        #expect(try await verifier.appTransaction(app).payload.appTransactionId == nil)
    }

    @Test
    func `an unreadable or missing root is a configuration error, not an open door`() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedData.transaction())
        for roots: [[UInt8]] in [[], [[]], [try authority.root.der, [1, 2, 3]]] {
            #expect(try await self.refusal(of: signed, under: authority, { $0.roots = roots }) == .misconfigured)
        }
    }
}
