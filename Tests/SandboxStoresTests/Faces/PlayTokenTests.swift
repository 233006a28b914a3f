import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import SandboxStores
import Testing

@Suite
struct PlayTokenTests {
    @Test
    func `a signed assertion yields a token that the API accepts`() async throws {
        try await Faces.run { faces in
            let answer = try await faces.signIn()
            #expect(answer.status == 200)
            #expect(answer.text("token_type") == "Bearer")
            #expect((1...3_600).contains(answer.number("expires_in") ?? 0))
            let sale = try await faces.buy(starter)
            let product = try await faces.publisher().get(
                "products/\(starter)/tokens/\(try #require(sale.text("purchase_token")))"
            )
            #expect(product.status == 200)
        }
    }

    @Test
    func `an assertion of another key, account, scope, algorithm or time is refused`() async throws {
        let stranger = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        try await Faces.run { faces in
            for account in [
                ServiceAccount(key: stranger),
                ServiceAccount(email: "other@example.com"),
                ServiceAccount(scope: "https://www.googleapis.com/auth/drive"),
                ServiceAccount(algorithm: "none"),
                ServiceAccount(issuedAt: Date() - 7_200),
                ServiceAccount(issuedAt: Date() + 7_200),
                ServiceAccount(lifetime: 86_400),
            ] {
                let answer = try await faces.signIn(account)
                #expect(answer.status == 400)
                #expect(["invalid_grant", "invalid_scope"].contains(answer.text("error")))
                #expect(answer.json["access_token"] == nil)
            }
        }
    }

    @Test
    func `an assertion may use the time of the stores' clock`() async throws {
        try await Faces.run { faces in
            try await faces.advance(30 * 86_400)
            #expect(try await faces.signIn(ServiceAccount(issuedAt: Date() + 30 * 86_400)).status == 200)
            #expect(try await faces.signIn().status == 200)
        }
    }

    @Test(arguments: ["", "grant_type=password&assertion=x", "assertion=x"])
    func `another grant type is refused`(form: String) async throws {
        try await Faces.run { faces in
            let answer = try await faces.call(.post, "/token", body: form)
            #expect(answer.status == 400)
            #expect(answer.text("error") == "unsupported_grant_type")
        }
    }

    @Test
    func `the API refuses invalid tokens and other apps`() async throws {
        try await Faces.run { faces in
            let token = try #require(try await faces.buy(starter).text("purchase_token"))
            let path = "/androidpublisher/v3/applications/\(Faces.package)/purchases"
            for authorization in [nil, "Bearer ya29.forged", "Bearer "] {
                for rest in [
                    "products/\(starter)/tokens/\(token)", "subscriptionsv2/tokens/\(token)", "voidedpurchases",
                ] {
                    let answer = try await faces.call(.get, "\(path)/\(rest)", authorization: authorization)
                    #expect(answer.status == 401)
                    #expect(answer.reason == "authError")
                }
            }
            var other = try await faces.publisher()
            other.package = "com.example.other"
            #expect(try await other.get("products/\(starter)/tokens/\(token)").status == 404)
        }
    }
}
