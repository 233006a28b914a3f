import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import SandboxStores
import Testing

@Suite
struct PlayPushProofTests {
    /// Returns the claims of a push's token, verified with the published keys.
    private func claims(of delivery: StoreReceiver.Delivery, by faces: Faces) async throws -> Stores.Answer {
        let authorization = try #require(delivery.header("Authorization"))
        #expect(authorization.hasPrefix("Bearer "))
        let parts = authorization.dropFirst("Bearer ".count).split(separator: ".")
        try #require(parts.count == 3)
        let header = try Stores.Answer(parsing: try #require(Data(base64URL: parts[0])))
        #expect(header.text("alg") == "RS256")
        let keys = try await faces.call(.get, "/oauth2/v3/certs").list("keys")
        let key = try #require(keys.first { $0.text("kid") == header.text("kid") })
        let publicKey = try _RSA.Signing.PublicKey(
            n: try #require(Data(base64URL: key.text("n") ?? "")),
            e: try #require(Data(base64URL: key.text("e") ?? ""))
        )
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Data(base64URL: parts[2])))
        let digest = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
        #expect(publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5))
        return try Stores.Answer(parsing: try #require(Data(base64URL: parts[1])))
    }

    @Test
    func `a push has Pub/Sub's envelope and a token signed by the published key`() async throws {
        try await Faces.run { faces in
            try await faces.advance(86_400)
            _ = try await faces.buy(starter)
            let delivery = try #require(faces.receiver.take("google-play").first)
            let claims = try await self.claims(of: delivery, by: faces)
            #expect(claims.text("iss") == "https://accounts.google.com")
            #expect(claims.text("aud") == Faces.audience)
            #expect(claims.text("email") == Faces.pushEmail)
            #expect(claims.flag("email_verified") == true)
            let now = Date().timeIntervalSince1970 + 86_400
            #expect(abs(Double(claims.number("iat") ?? 0) - now) < 30)
            #expect((claims.number("exp") ?? 0) > Int(now))
            let body = try Stores.Answer(parsing: delivery.body)
            #expect(body.text("subscription")?.hasPrefix("projects/") == true)
            let message = try #require(body.object("message"))
            #expect(message.text("messageId")?.wholeMatch(of: /[0-9]+/) != nil)
            #expect(message.text("publishTime")?.hasSuffix("Z") == true)
        }
    }

    @Test
    func `a redelivery repeats the bytes under a new token`() async throws {
        try await Faces.run { faces in
            _ = try await faces.buy(starter)
            let first = try #require(faces.receiver.take("google-play").first)
            let id = try #require(try Stores.Answer(parsing: first.body).object("message")?.text("messageId"))
            try await faces.advance(7_200)
            try await faces.control("notifications/\(id)/redeliver")
            let second = try #require(faces.receiver.take("google-play").first)
            #expect(second.body == first.body)
            let (old, new) = (
                try await self.claims(of: first, by: faces), try await self.claims(of: second, by: faces)
            )
            #expect((new.number("iat") ?? 0) >= (old.number("exp") ?? .max))
        }
    }

    @Test
    func `two pushes never share an id`() async throws {
        try await Faces.run { faces in
            for _ in 0..<3 {
                _ = try await faces.buy(starter)
            }
            let ids = try faces.receiver.take("google-play").map {
                try Stores.Answer(parsing: $0.body).object("message")?.text("messageId")
            }
            #expect(Set(ids).count == 3)
        }
    }

    @Test
    func `the key survives a restart, and an invalid key file prevents the start`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("faces-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (keys, key) = AsyncStream.makeStream(of: String?.self)
        for _ in 0..<2 {
            try await Faces.run(directory: folder.path) { faces in
                key.yield(try await faces.call(.get, "/oauth2/v3/certs").list("keys").first?.text("n"))
            }
        }
        key.finish()
        var seen: [String?] = []
        for await key in keys { seen.append(key) }
        #expect(seen.count == 2)
        #expect(seen.first == seen.last)
        #expect(seen.first != .some(nil))
        let file = folder.appendingPathComponent("google-push-key.pem")
        let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        try Data("not a key".utf8).write(to: file)
        let error = #expect(throws: SandboxStoresError.self) {
            try SandboxStores(configuration: Faces.configuration(directory: folder.path, port: 1), logger: .silent)
        }
        #expect(error?.code == .unreadableState)
    }

    @Test
    func `an invalid service account key prevents the start`() throws {
        var configuration = try Faces.configuration(directory: nil, port: 1)
        configuration.googlePlay?.serviceAccountPublicKey = "no key"
        let error = #expect(throws: SandboxStoresError.self) {
            try SandboxStores(configuration: configuration, logger: .silent)
        }
        #expect(error?.code == .unreadableKey)
    }
}
