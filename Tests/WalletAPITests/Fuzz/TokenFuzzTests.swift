import Foundation
import JOSE
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.serialized) struct TokenFuzzTests {
    @Test func `no changed token is believed, and none does harm`() async throws {
        let verifier = try await ServerHarness.tokens()
        let forge = TokenForge()
        let users = try [
            forge.shared(ServerHarness.claims(subject: "user-1")),
            forge.shared(ServerHarness.claims(subject: "user-1", ["nbf": 1_700_000_000, "is_anonymous": true])),
            forge.shared(
                ServerHarness.claims(subject: "user-1", ["aud": ["a", TokenForge.audience], "role": ["x"]]),
                header: ["kid": "k"]
            ),
        ]
        let tokens = users + [try ServerHarness.operatorToken()]
        for token in users { _ = try await verifier.bearer(of: token) }
        try await Fuzzer("tokens").run { random in
            Array(try FuzzToken.mutated(random.pick(tokens), with: tokens, &random).utf8)
        } check: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for isOperator in [false, true] {
                do throws(WalletAPIError) {
                    _ = isOperator ? try await verifier.actor(of: text).id : try await verifier.user(of: text)
                } catch {
                    guard error.code == .unauthenticated else { throw FuzzFailure("an undocumented error: \(error)") }
                    continue
                }
                guard tokens.contains(where: { FuzzToken.isSame($0, text) }) else { throw FuzzFailure("believed") }
            }
        }
    }

    @Test func `any claims that an issuer signs are read or refused`() async throws {
        let verifier = try await ServerHarness.tokens()
        let forge = TokenForge()
        let claims = try JSONSerialization.data(
            withJSONObject: ServerHarness.claims(
                subject: "user-1",
                ["nbf": 1_700_000_000, "email": "a@b.example", "is_anonymous": false]
            ),
            options: .sortedKeys
        )
        try await Fuzzer("claims").run { random in
            try FuzzJSON.mutated(claims, &random)
        } check: { bytes in
            let token = forge.shared(raw: Data(bytes))
            do throws(WalletAPIError) {
                _ = try await verifier.bearer(of: token)
            } catch {
                guard error.code == .unauthenticated else { throw FuzzFailure("an undocumented error: \(error)") }
            }
        }
    }

    @Test func `key sets of any form are parsed or refused`() async throws {
        let keys = try JSONSerialization.data(
            withJSONObject: ["keys": [TokenForge().published(), try RSAForge().published()]],
            options: .sortedKeys
        )
        try await Fuzzer("key sets").run { random in
            try FuzzJSON.mutated(keys, &random)
        } check: { bytes in
            do {
                _ = try KeySet(json: Data(bytes))
            } catch is DecodingError {}
        }
    }
}
