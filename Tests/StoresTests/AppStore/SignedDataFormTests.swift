import Crypto
import Foundation
import Stores
import Testing

@Suite
struct SignedDataFormTests {
    let authority: SigningAuthority
    let verifier: SignedDataVerifier

    init() throws {
        self.authority = try SigningAuthority()
        self.verifier = try SignedData.verifier(under: self.authority)
    }

    private func refusal(of text: String) async -> StoreError.Code? {
        await code { () throws(StoreError) in try await self.verifier.transaction(text) }
    }

    @Test
    func `a transaction that the store signed is valid`() async throws {
        let signed = try self.authority.sign(SignedData.transaction())
        let transaction = try await self.verifier.transaction(signed)
        #expect(transaction.payload.transactionId == "2000000000000001")
        #expect(transaction.payload.purchaseDate == signingTime.addingTimeInterval(-3_600))
        #expect(transaction.payload.type == .consumable)
        #expect(transaction.environment == .production)
    }

    @Test(arguments: ["none", "HS256", "ES384", "RS256", "EdDSA", "es256", ""])
    func `another algorithm is refused whatever the signature`(algorithm: String) async throws {
        let signed = try self.authority.sign(SignedData.transaction(), header: ["alg": algorithm])
        #expect(await self.refusal(of: signed) == .malformedSignedData)
    }

    @Test
    func `a signature with the certificate's bytes as a shared secret is refused`() async throws {
        let signed = try self.authority.sign(SignedData.transaction(), header: ["alg": "HS256"])
        let input = signed.split(separator: ".").dropLast().joined(separator: ".")
        let secret = SymmetricKey(data: Data(try self.authority.leaf.der))
        let forged = Data(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: secret)).base64URL
        #expect(await self.refusal(of: "\(input).\(forged)") == .malformedSignedData)
    }

    @Test
    func `chains of zero, one, two or four certificates are refused`() async throws {
        let three = try self.authority.certificates
        let counts: [[String]] = [[], Array(three.prefix(1)), Array(three.prefix(2)), three + [three[2]]]
        for certificates in counts {
            let signed = try self.authority.sign(SignedData.transaction(), header: ["x5c": certificates])
            #expect(await self.refusal(of: signed) == .malformedSignedData, "\(certificates.count)")
        }
        for header: [String: any Sendable] in [["x5c": three[0]], ["x5c": [1, 2, 3]], ["x5c": absent]] {
            let signed = try self.authority.sign(SignedData.transaction(), header: header)
            #expect(await self.refusal(of: signed) == .malformedSignedData)
        }
    }

    @Test
    func `invalid certificates are refused`() async throws {
        let three = try self.authority.certificates
        for broken in ["", "AAAA", "no base64", three[0] + "AAAA", String(three[0].dropLast(8))] {
            let signed = try self.authority.sign(
                SignedData.transaction(),
                header: ["x5c": [broken] + three.dropFirst()]
            )
            #expect(await self.refusal(of: signed) == .invalidCertificate)
        }
    }

    @Test
    func `truncated data is refused`() async throws {
        let signed = try self.authority.sign(SignedData.transaction())
        for length in stride(from: 0, to: signed.utf8.count, by: 37) {
            #expect(await self.refusal(of: String(signed.prefix(length))) != nil, "\(length)")
        }
        for cut in 1...8 {
            #expect(await self.refusal(of: String(signed.dropLast(cut))) != nil, "\(cut)")
        }
    }

    @Test(arguments: ["", ".", "..", "...", "a.b.c", "e30.e30.", "e30.e30.e30", "\u{0}", "æ.ø.å", "====.====.===="])
    func `text that is not signed data is malformed`(text: String) async {
        #expect(await self.refusal(of: text) == .malformedSignedData)
    }

    @Test
    func `padding and the plain alphabet are refused`() async throws {
        let signed = try self.authority.sign(SignedData.transaction())
        #expect(await self.refusal(of: signed + "=") == .malformedSignedData)
        #expect(await self.refusal(of: signed + "\n") == .malformedSignedData)
        #expect(await self.refusal(of: " " + signed) == .malformedSignedData)
        #expect(await self.refusal(of: signed + ".e30") == .malformedSignedData)
        #expect(await self.refusal(of: String(signed.dropLast(2)) + "+/") == .malformedSignedData)
    }

    @Test
    func `a payload that is not an object is malformed`() async throws {
        let parts = try self.authority.sign([:]).split(separator: ".").map(String.init)
        for payload in ["[1]", "1", "null", "\"text\"", "{", ""] {
            let text = "\(parts[0]).\(Data(payload.utf8).base64URL).\(parts[2])"
            #expect(await self.refusal(of: text) == .malformedSignedData, "\(payload)")
        }
    }

    @Test
    func `a transaction's plain JSON is recognized in every form`() async throws {
        let json = try JSONSerialization.data(withJSONObject: SignedData.transaction())
        let text = String(decoding: json, as: UTF8.self)
        let parts = try self.authority.sign(SignedData.transaction()).split(separator: ".")
        for unsigned in [
            text, " \n\(text)", json.base64EncodedString(), json.base64URL, "\(parts[0]).\(parts[1])", "x.\(parts[1])",
        ] {
            #expect(await self.refusal(of: unsigned) == .unsignedTransaction)
        }
    }

    @Test
    func `the size limits count the text as sent`() async throws {
        let signed = try self.authority.sign(SignedData.transaction(["padding": String(repeating: "x", count: 60_000)]))
        #expect(signed.utf8.count > 64 * 1_024)
        #expect(await self.refusal(of: signed) == .malformedSignedData)
        let size = signed.utf8.count
        let wide = try SignedData.verifier(under: self.authority, { $0.maximumTransactionBytes = size })
        #expect(try await wide.transaction(signed).payload.productId == starter)
        let narrow = try SignedData.verifier(under: self.authority, { $0.maximumTransactionBytes = size - 1 })
        #expect(await code { () throws(StoreError) in try await narrow.transaction(signed) } == .malformedSignedData)
    }

    @Test
    func `a notification may be larger than a transaction, within a limit`() async throws {
        let large = String(repeating: "x", count: 100_000)
        let signed = try self.authority.sign(SignedData.notification("TEST", nil, data: [:], ["padding": large]))
        #expect(try await self.verifier.notification(signed).ignored != nil)
        let larger = try self.authority.sign(
            SignedData.notification("TEST", nil, data: [:], ["padding": large + large])
        )
        #expect(
            await code { () throws(StoreError) in try await self.verifier.notification(larger) } == .malformedSignedData
        )
    }
}
