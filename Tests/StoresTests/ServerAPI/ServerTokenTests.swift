import Crypto
import Foundation
import Stores
import Synchronization
import Testing

@Suite
struct ServerTokenTests {
    private final class Clock: Sendable {
        private let instant = Mutex(Date(timeIntervalSince1970: 1_800_000_000.9))

        var now: Date { self.instant.withLock { $0 } }

        func advance(by seconds: TimeInterval) {
            self.instant.withLock { $0.addTimeInterval(seconds) }
        }
    }

    private struct Claims: Decodable {
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        let bid: String
    }

    private static func bytes(_ part: Substring) -> Data? {
        let standard = part.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
    }

    private static func parts(of call: APIStore.Call) throws -> [Substring] {
        let header = try #require(call.authorization)
        #expect(header.hasPrefix("Bearer "))
        return header.dropFirst(7).split(separator: ".", omittingEmptySubsequences: false)
    }

    private static func claims(of call: APIStore.Call) throws -> Claims {
        let parts = try Self.parts(of: call)
        try #require(parts.count == 3)
        return try JSONDecoder().decode(Claims.self, from: try #require(Self.bytes(parts[1])))
    }

    @Test
    func `the token names key, issuer, app and audience and is signed by the key`() async throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000.9)
        let sale = APISale()
        try await APIStore.run(
            answering: { _ in try sale.answer() },
            wallClock: { now },
            check: { api, store in
                _ = try await api.transaction(sale.id)
                let call = try #require(store.calls.first)
                let parts = try Self.parts(of: call)
                try #require(parts.count == 3)
                let header = try #require(Self.bytes(parts[0]))
                #expect(
                    try JSONSerialization.jsonObject(with: header) as? NSDictionary == [
                        "alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT",
                    ]
                )
                let claims = try #require(Self.bytes(parts[1]))
                #expect(
                    try JSONSerialization.jsonObject(with: claims) as? NSDictionary == [
                        "iss": "57246542-96fe-1a63-e053-0824d011072a", "iat": 1_800_000_000, "exp": 1_800_000_300,
                        "aud": "appstoreconnect-v1", "bid": appBundle,
                    ]
                )
                let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Self.bytes(parts[2])))
                let signed = Data("\(parts[0]).\(parts[1])".utf8)
                #expect(store.key.publicKey.isValidSignature(signature, for: signed))
            }
        )
    }

    @Test
    func `a token is reused until a minute before it expires`() async throws {
        let clock = Clock()
        let sale = APISale()
        try await APIStore.run(
            answering: { _ in try sale.answer() },
            wallClock: { clock.now },
            check: { api, store in
                for seconds in [0.0, 200, 38, 2] {
                    clock.advance(by: seconds)
                    _ = try await api.transaction(sale.id)
                }
                let tokens = store.calls.map(\.authorization)
                #expect(Set(tokens.prefix(3)).count == 1)
                #expect(tokens[3] != tokens[2])
                #expect(try Self.claims(of: store.calls[3]).iat == 1_800_000_240)
            }
        )
    }

    @Test
    func `a clock that is set back creates a new token`() async throws {
        let clock = Clock()
        let sale = APISale()
        try await APIStore.run(
            answering: { _ in try sale.answer() },
            wallClock: { clock.now },
            check: { api, store in
                _ = try await api.transaction(sale.id)
                clock.advance(by: -1_000)
                _ = try await api.transaction(sale.id)
                #expect(try Self.claims(of: store.calls[1]).iat == 1_799_999_000)
            }
        )
    }

    @Test
    func `no token lives longer than the store allows`() async throws {
        let sale = APISale()
        try await APIStore.run(
            answering: { _ in try sale.answer() },
            change: { $0.tokenLifetime = .seconds(86_400) },
            check: { api, store in
                _ = try await api.transaction(sale.id)
                let claims = try Self.claims(of: store.calls[0])
                #expect(claims.exp - claims.iat == 3_600)
            }
        )
    }

    @Test(arguments: ["", "no key", P384.Signing.PrivateKey().pemRepresentation])
    func `an invalid key is refused before any call`(pem: String) async throws {
        await #expect(throws: StoreError.self) {
            try await APIStore.run(
                answering: { _ in .notFound },
                change: { $0.privateKeyPEM = pem },
                check: { _, _ in Issue.record("created") }
            )
        }
    }

    @Test
    func `the vendor's own hosts are recognized`() {
        var configuration = AppStoreServerAPIConfiguration(issuerID: "", keyID: "", privateKeyPEM: "", bundleID: "")
        #expect(configuration.usesVendorEndpoints)
        #expect(configuration.productionURL == "https://api.storekit.apple.com")
        #expect(configuration.sandboxURL == "https://api.storekit-sandbox.apple.com")
        configuration.sandboxURL = "http://127.0.0.1:8081"
        #expect(!configuration.usesVendorEndpoints)
    }
}
