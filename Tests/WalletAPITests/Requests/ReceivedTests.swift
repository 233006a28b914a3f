import Foundation
import HTTPTypes
import JSON
import Testing
import Wallet

@testable import WalletAPI

/// Tests that refusals of values name the member, the allowed values and the received value, but no secret.
@Suite struct ReceivedTests {
    static let adjustment: [String: any Sendable] = [
        "user_id": "u", "unit": "credit", "amount": 1, "reason": "r", "reference": "f",
    ]
    static let session: [String: any Sendable] = [
        "title": "t", "starts_at": "2031-01-01T10:00:00Z", "ends_at": "2031-01-01T11:00:00Z", "capacity": 1,
        "price": ["credits": 1],
    ]
    static let product: [String: any Sendable] = [
        "kind": "pack", "name": "n", "unit": "credit", "amount": 1,
        "price": ["amount": 1, "currency": "EUR"] as [String: any Sendable],
    ]

    struct Change: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let members: [String: any Sendable]
        let detail: String

        init(_ method: HTTPRequest.Method, _ path: String, _ members: [String: any Sendable], _ detail: String) {
            (self.method, self.path, self.members, self.detail) = (method, path, members, detail)
        }
    }

    static let changes: [Change] = [
        Change(
            .post,
            "adjustments",
            Self.adjustment.merging(["unit": "points"]) { $1 },
            "The member \"unit\" must be credit or visit; received \"points\"."
        ),
        Change(
            .post,
            "adjustments",
            Self.adjustment.merging(["source": "present"]) { $1 },
            "The member \"source\" must be adjustment or gift; received \"present\"."
        ),
        Change(
            .post,
            "adjustments",
            Self.adjustment.merging(["expires_at": "tomorrow"]) { $1 },
            "The member \"expires_at\" must be an RFC 3339 instant such as 2026-11-21T01:31:00Z; received \"tomorrow\"."
        ),
        Change(
            .post,
            "adjustments",
            Self.adjustment.merging(["amount": -2, "source": "gift"]) { $1 },
            "The member \"amount\" of a gift must be more than 0; received -2."
        ),
        Change(
            .post,
            "adjustments",
            Self.adjustment.merging(["reason": ""]) { $1 },
            "The member \"reason\" must be 1 to 500 characters on one line; received \"\"."
        ),
        Change(
            .put,
            "classes/a",
            Self.session.merging(["capacity": -1]) { $1 },
            "The member \"capacity\" must be 0 to 100000; received -1."
        ),
        Change(
            .put,
            "classes/a",
            Self.session.merging(["price": ["visits": 0]]) { $1 },
            "The member \"price.visits\" must be 1 to 1000000; received 0."
        ),
        Change(
            .put,
            "classes/a",
            Self.session.merging(["ends_at": "2031-01-01T09:00:00Z"]) { $1 },
            "The member \"ends_at\" must be later than \"starts_at\", 2031-01-01T10:00:00Z; received "
                + "\"2031-01-01T09:00:00Z\"."
        ),
        Change(
            .put,
            "products/a",
            Self.product.merging(["kind": "box"]) { $1 },
            "The member \"kind\" must be pack, pass or plan; received \"box\"."
        ),
        Change(
            .put,
            "products/a",
            Self.product.merging(["tier": -1]) { $1 },
            "The member \"tier\" must be 0 to 1000000; received -1."
        ),
        Change(
            .put,
            "products/a",
            Self.product.merging(["price": ["amount": 1, "currency": "euro"] as [String: any Sendable]]) { $1 },
            "The member \"price.currency\" must be three capital letters; received \"euro\"."
        ),
    ]

    @Test(arguments: Self.changes)
    func `an operator gets the allowed and the received value`(change: Change) async throws {
        try await ServerHarness.withoutDatabase { server in
            let answer = try await server.operate(change.method, "/operator/\(change.path)", json: change.members)
            #expect(answer.status == 400)
            #expect(try answer.json["detail"] as? String == change.detail)
        }
    }

    @Test func `query and header fields are reported with their allowed values`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let limit = try await server.send(.get, "/classes?limit=1000")
            #expect(
                try limit.json["detail"] as? String
                    == "The parameter \"limit\" must be a number from 1 to 100; received \"1000\"."
            )
            let header = try await server.send(.get, "/classes", headers: ["Wallet-Environment": "test"])
            #expect(
                try header.json["detail"] as? String
                    == "The header field Wallet-Environment must be production or sandbox, once; received \"test\"."
            )
        }
    }

    @Test func `proofs and tokens are described by their type only`() throws {
        let secret = "eyJhbGciOiJFUzI1NiJ9"
        for name in ["receipt", "signed_transaction", "purchase_token", "anonymous_token"] {
            #expect(Received(.text(secret), at: [name]).description == "a string")
        }
        struct Proof: Decodable { let receipt: [String] }
        let body = Data("{\"receipt\": \"\(secret)\"}".utf8)
        let error = #expect(throws: DecodingError.self) { try WireJSON.decoder.decode(Proof.self, from: body) }
        #expect(error?.explanation(of: body) == "The member \"receipt\" must be a list; received a string.")
    }

    @Test func `a repeated value is short, on one line and in one direction`() {
        #expect(Received("a\nb\u{202E}c").description == "\"a\u{FFFD}b\u{FFFD}c\"")
        #expect(Received(String(repeating: "x", count: 500)).description.utf8.count < 80)
    }

    @Test func `the detail differs from the title`() throws {
        let bare = Problem(.conflict, "class-full").document
        #expect(bare["title"] == .text("The class is full"))
        #expect(bare["detail"] == nil)
        let repeated = Problem(.notFound, "offer-not-found", "There is no such offer.").document
        #expect(repeated["detail"] == nil)
        #expect(Problem(.conflict, "class-full", "2 seats are left.").document["detail"] == .text("2 seats are left."))
    }
}
