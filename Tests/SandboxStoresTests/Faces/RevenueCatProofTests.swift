import Crypto
import Foundation
import SandboxStores
import Testing

@Suite
struct RevenueCatProofTests {
    /// Returns the time and the hex code of a signature header.
    private func parts(of header: String?) throws -> (instant: Int, code: String) {
        let match = try #require(header?.wholeMatch(of: /t=([0-9]+),v1=([0-9a-f]{64})/))
        return (try #require(Int(match.1)), String(match.2))
    }

    private func code(for body: Data, at instant: Int) -> String {
        let key = SymmetricKey(data: Data(Faces.signingSecret.utf8))
        let signed = Data("\(instant).".utf8) + body
        return HMAC<SHA256>.authenticationCode(for: signed, using: key).map { String(format: "%02x", $0) }.joined()
    }

    @Test
    func `both proofs are valid for the exact bytes, by the stores' clock`() async throws {
        try await Faces.run { faces in
            try await faces.advance(86_400)
            _ = try await faces.stores.buy()
            let delivery = try #require(faces.receiver.take("revenuecat").first)
            #expect(delivery.header("Authorization") == Faces.authorization)
            let parts = try self.parts(of: delivery.header("X-RevenueCat-Webhook-Signature"))
            #expect(parts.code == self.code(for: delivery.body, at: parts.instant))
            #expect(abs(Double(parts.instant) - Date().timeIntervalSince1970 - 86_400) < 30)
        }
    }

    @Test
    func `a redelivery repeats the bytes with new proofs`() async throws {
        try await Faces.run { faces in
            _ = try await faces.stores.buy()
            let first = try #require(faces.receiver.take("revenuecat").first)
            let id = try #require(try Stores.Answer(parsing: first.body).object("event")?.text("id"))
            try await faces.advance(300)
            try await faces.control("notifications/\(id)/redeliver")
            let second = try #require(faces.receiver.take("revenuecat").first)
            #expect(second.body == first.body)
            let (old, new) = (
                try self.parts(of: first.header("X-RevenueCat-Webhook-Signature")),
                try self.parts(of: second.header("X-RevenueCat-Webhook-Signature"))
            )
            #expect(new.instant >= old.instant + 300)
            #expect(new.code == self.code(for: second.body, at: new.instant))
        }
    }
}
