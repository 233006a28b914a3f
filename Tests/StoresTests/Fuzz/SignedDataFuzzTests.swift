import Crypto
import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite(.serialized) struct SignedDataFuzzTests {
    private let authority: SigningAuthority
    private let verifier: SignedDataVerifier
    private let payloads: [Data]
    private let tokens: [String]

    init() throws {
        let authority = try SigningAuthority()
        let transaction = try authority.sign(SignedData.period())
        let renewal = try authority.sign(SignedData.renewal())
        let inner: [String: any Sendable] = ["signedTransactionInfo": transaction, "signedRenewalInfo": renewal]
        let payloads = try [
            SignedData.transaction(), SignedData.period(["revocationDate": SignedData.milliseconds]),
            SignedData.renewal(), SignedData.appTransaction(),
            SignedData.notification("DID_RENEW", data: inner), SignedData.notification("REFUND", data: inner),
        ].map { try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
        self.authority = authority
        self.verifier = try SignedData.verifier(under: authority)
        self.payloads = payloads
        self.tokens = try payloads.map { try Self.sign($0, by: authority) }
    }

    /// Signs the bytes unchanged.
    private static func sign(_ payload: Data, by authority: SigningAuthority) throws -> String {
        let header: [String: any Sendable] = ["alg": "ES256", "x5c": try authority.certificates]
        let head = try JSONSerialization.data(withJSONObject: header, options: .sortedKeys)
        let input = "\(FuzzToken.encode(head)).\(FuzzToken.encode(payload))"
        let signature = try authority.key.signature(for: Data(input.utf8)).rawRepresentation
        return "\(input).\(FuzzToken.encode(signature))"
    }

    /// Decodes a text as each kind of signed data.
    ///
    /// - Returns: The number of kinds under which the text is valid.
    private func believers(of text: String) async throws -> Int {
        var count = 0
        do throws(StoreError) {
            let transaction = try await self.verifier.transaction(text)
            count += 1
            _ = try transaction.fact(source: .notification)
        } catch { try Self.expect(error) }
        do throws(StoreError) {
            var fact = StoreFact.ofFuzzing
            try await self.verifier.renewalInfo(text).overlay(on: &fact)
            count += 1
        } catch { try Self.expect(error) }
        do throws(StoreError) {
            _ = try await self.verifier.appTransaction(text)
            count += 1
        } catch { try Self.expect(error) }
        do throws(StoreError) {
            _ = try await self.verifier.notification(text)
            count += 1
        } catch { try Self.expect(error) }
        return count
    }

    private static func expect(_ error: StoreError) throws {
        let documented: Set<StoreError.Code> = [
            .unsignedTransaction, .malformedSignedData, .testSignature, .invalidCertificate, .invalidSignature,
            .wrongApp,
            .wrongEnvironment, .unreadable,
        ]
        guard documented.contains(error.code) else { throw FuzzFailure("an undocumented error: \(error.code)") }
    }

    @Test func `no changed signed data is believed, and none does harm`() async throws {
        for token in self.tokens { #expect(try await self.believers(of: token) > 0) }
        try await Fuzzer("signed data").run { random in
            Array(try FuzzToken.mutated(random.pick(self.tokens), with: self.tokens, &random).utf8)
        } check: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard try await self.believers(of: text) > 0 else { return }
            guard self.tokens.contains(where: { FuzzToken.isSame($0, text) }) else { throw FuzzFailure("believed") }
        }
    }

    @Test func `any payload that the store signs is read or refused`() async throws {
        try await Fuzzer("signed payloads").run { random in
            try FuzzJSON.mutated(random.pick(self.payloads), &random)
        } check: { bytes in
            _ = try await self.believers(of: Self.sign(Data(bytes), by: self.authority))
        }
    }
}

extension StoreFact {
    /// A fact to which renewal information can be applied.
    static var ofFuzzing: StoreFact {
        StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: "2000000000000001",
            storeProductID: monthly,
            kind: .subscription,
            purchasedAt: signingTime,
            source: .notification,
            sourceAt: signingTime
        )
    }
}
