import Crypto
import CryptoExtras
import Foundation
import Stores
import Testing

@Suite(.serialized)
struct GooglePlayAccessTests {
    private static let purchase = #"{"purchaseTimeMillis":"1789000000000","purchaseState":0,"orderId":"GPA.1"}"#

    private static func decoded(_ part: Substring) -> Data? {
        let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }

    @Test
    func `the account signs for an access token, which is sent to the store`() async throws {
        try await GooglePlayServer.run(body: Self.purchase) { store, api in
            _ = try await api.product(productID: "pack", token: "t")
            let request = try #require(store.calls.first)
            #expect(request.target == "/token")
            #expect(request.contentType == "application/x-www-form-urlencoded")
            let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            #expect(request.body.hasPrefix(prefix))
            let parts = request.body.dropFirst(prefix.count).split(separator: ".")
            try #require(parts.count == 3)
            let header = try JSONDecoder().decode([String: String].self, from: try #require(Self.decoded(parts[0])))
            #expect(header == ["alg": "RS256", "typ": "JWT"])
            let payload = try #require(Self.decoded(parts[1]))
            let claims = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
            #expect(claims["iss"] as? String == GooglePlayServer.account)
            #expect(claims["scope"] as? String == "https://www.googleapis.com/auth/androidpublisher")
            #expect((claims["aud"] as? String)?.hasSuffix("/token") == true)
            #expect(claims["iat"] as? Int == 1_790_000_000)
            #expect(claims["exp"] as? Int == 1_790_003_600)
            let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Self.decoded(parts[2])))
            let digest = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
            let key = try GooglePlayServer.key.get().publicKey
            #expect(key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5))
            #expect(store.calls.last?.authorization == "Bearer access-1")
        }
    }

    @Test
    func `an access token is reused until a minute before it expires`() async throws {
        let clock = ManualClock()
        let script: @Sendable (ScriptedStore.Call) -> ScriptedStore.Answer = { _ in .init(body: Self.purchase) }
        try await GooglePlayServer.run(clock: clock, answering: script) { store, api in
            for _ in 0..<3 { _ = try await api.product(productID: "pack", token: "t") }
            #expect(store.calls(to: "/token").count == 1)
            clock.advance(by: .seconds(3_500))
            _ = try await api.product(productID: "pack", token: "t")
            #expect(store.calls(to: "/token").count == 1)
            clock.advance(by: .seconds(41))
            _ = try await api.product(productID: "pack", token: "t")
            #expect(store.calls(to: "/token").count == 2)
        }
    }

    @Test
    func `concurrent callers share one token request`() async throws {
        let slow: @Sendable (ScriptedStore.Call, Int) -> ScriptedStore.Answer = { call, _ in
            guard call.target == "/token" else { return .init(body: Self.purchase) }
            var answer = GooglePlayServer.token(1)
            answer.delay = .milliseconds(300)
            return answer
        }
        let pem = try GooglePlayServer.key.get().pkcs8PEMRepresentation
        try await ScriptedStore.run(answering: slow) { store, url, client in
            let configuration = GooglePlayConfiguration(
                packageName: playPackage,
                serviceAccountEmail: GooglePlayServer.account,
                privateKeyPEM: pem,
                tokenURL: "\(url)/token",
                baseURL: url
            )
            let api = GooglePlayAPI(configuration: configuration, httpClient: client, logger: .silent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { _ = try await api.product(productID: "pack", token: "t") } }
                try await group.waitForAll()
            }
            #expect(store.calls(to: "/token").count == 1)
            #expect(store.calls(to: playPath).count == 5)
        }
    }

    @Test
    func `a rejected token is replaced once`() async throws {
        let script: @Sendable (ScriptedStore.Call) -> ScriptedStore.Answer = { call in
            call.authorization == "Bearer access-1" ? .init(status: 401) : .init(body: Self.purchase)
        }
        try await GooglePlayServer.run(answering: script) { store, api in
            _ = try await api.product(productID: "pack", token: "t")
            #expect(store.calls(to: "/token").count == 2)
        }
        try await GooglePlayServer.run(status: 401, body: "{}") { store, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.subscription(token: "t") }
            #expect(error?.code == .misconfigured)
            #expect(store.calls(to: playPath).count == 2)
        }
    }

    @Test
    func `a refused account or an invalid key is a configuration error`() async throws {
        let refusing: @Sendable (ScriptedStore.Call, Int) -> ScriptedStore.Answer = { _, _ in
            .init(status: 400, body: #"{"error":"invalid_grant"}"#)
        }
        let good = try GooglePlayServer.key.get().pkcs8PEMRepresentation
        for pem in [good, "no key", ""] {
            try await ScriptedStore.run(answering: refusing) { store, url, client in
                let configuration = GooglePlayConfiguration(
                    packageName: playPackage,
                    serviceAccountEmail: GooglePlayServer.account,
                    privateKeyPEM: pem,
                    tokenURL: "\(url)/token",
                    baseURL: url
                )
                let api = GooglePlayAPI(configuration: configuration, httpClient: client, logger: .silent)
                let error = await #expect(throws: StoreError.self) { _ = try await api.subscription(token: "t") }
                #expect(error?.code == .misconfigured)
                #expect(store.calls.count == (pem == good ? 1 : 0))
            }
        }
    }

    @Test
    func `a key file is read with its token address`() throws {
        let file = #"{"type":"service_account","client_email":"a@b","private_key":"PEM\n","token_uri":"%"}"#
        let vendor = file.replacing("%", with: GooglePlayConfiguration.vendorTokenURL)
        let configuration = try GooglePlayConfiguration(serviceAccountJSON: Data(vendor.utf8), packageName: "p")
        #expect(configuration.serviceAccountEmail == "a@b")
        #expect(configuration.privateKeyPEM == "PEM\n")
        #expect(configuration.usesVendorEndpoints)
        let elsewhere = file.replacing("%", with: "https://example.com/token")
        let other = try GooglePlayConfiguration(serviceAccountJSON: Data(elsewhere.utf8), packageName: "p")
        #expect(!other.usesVendorEndpoints)
        for broken in ["", "{}", #"{"client_email":"a@b"}"#, #"{"client_email":1,"private_key":"a"}"#] {
            let error = #expect(throws: StoreError.self) {
                _ = try GooglePlayConfiguration(serviceAccountJSON: Data(broken.utf8), packageName: "p")
            }
            #expect(error?.code == .misconfigured)
        }
    }
}
