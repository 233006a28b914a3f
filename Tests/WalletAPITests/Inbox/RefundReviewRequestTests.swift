import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import StoreSync
import Stores
import TestSupport
import Testing

@testable import SandboxStores
@testable import WalletAPI

/// Tests of Google Play's refund reviews, which must be answered within a day.
@Suite(.database, .serialized) struct RefundReviewRequestTests {
    private struct Told: Decodable {
        struct Usage: Decodable, Equatable {
            let consumptionTime: String
            let consumptionItemDescription: String
        }

        let refundPreference: String
        let sampleContentProvided: Bool
        let consumptionPercentageMilliunits: Int?
        let consumptionUsageEvents: [Usage]?
    }

    private static func run(_ test: @escaping @Sendable (ServerHarness) async throws -> Void) async throws {
        try await ServerHarness.withDatabase(adapt: { $0.refundReviews = .decline }, test)
    }

    /// Returns the answers that the store has received.
    private static func told(_ server: ServerHarness) async throws -> [Told] {
        struct List: Decodable {
            struct Item: Decodable { let body: String }
            let reviews: [Item]
            enum CodingKeys: String, CodingKey { case reviews = "refund_reviews" }
        }
        let url = "http://127.0.0.1:\(try #require(server.storePort))/sandbox/refund-reviews"
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
        let answer = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        return try JSONDecoder().decode(List.self, from: answer).reviews.map {
            try JSONDecoder().decode(Told.self, from: Data($0.body.utf8))
        }
    }

    private static func ask(_ server: ServerHarness, about sale: ServerHarness.Sale) async throws {
        _ = try await server.control("transactions/\(sale.transactionID)/refund-review", as: ServerHarness.Sale.self)
        let message = try #require(try await server.messages(of: "google_play").last)
        #expect(message.type == "pendingRefundReviewNotification")
        #expect(try await server.postGooglePlay(message.body).status == 204)
    }

    private static func buy(_ user: String, _ server: ServerHarness) async throws -> ServerHarness.Sale {
        try await server.buy(user, more: ["store": "play_store"])
    }

    private static func submit(_ sale: ServerHarness.Sale, as user: String, _ server: ServerHarness) async throws {
        let body = [
            "store": "play_store", "product_id": ServerHarness.pack,
            "purchase_token": try #require(sale.purchaseToken),
        ]
        #expect(try await server.send(.post, "/receipts", as: user, json: body).status == 200)
    }

    @Test func `the answer contains the used share and each booking`() async throws {
        try await Self.run { server in
            let user = ServerHarness.someone()
            let sale = try await Self.buy(user, server)
            try await Self.submit(sale, as: user, server)
            #expect(try await server.makeClass("review", credits: 30).status == 200)
            #expect(try await server.book("review", as: user).status == 201)
            try await Self.ask(server, about: sale)
            let told = try #require(try await Self.told(server).last)
            #expect(told.refundPreference == "DECLINE")
            #expect(!told.sampleContentProvided)
            #expect(told.consumptionPercentageMilliunits == 30_000)
            #expect(told.consumptionUsageEvents?.map(\.consumptionItemDescription) == ["Pottery, 30"])
            let row = try #require(try await server.inboxRows().last)
            #expect(row.status == "ignored")
            #expect(row.reason == "refund-review-answered")
        }
    }

    @Test func `an answer that is lost is sent again, and counted once`() async throws {
        try await Self.run { server in
            let user = ServerHarness.someone()
            let sale = try await Self.buy(user, server)
            try await Self.submit(sale, as: user, server)
            try await server.fault(["target": "play", "status": 500, "count": 100])
            try await Self.ask(server, about: sale)
            #expect(try await server.inboxRows().last?.status == "failed")
            try await server.endFaults()
            for _ in 0..<2 {
                try await ServerHarness.sql("UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'failed'")
                _ = try await server.inbox.work(limit: 10)
            }
            #expect(try await Self.told(server).map(\.consumptionPercentageMilliunits) == [0])
            #expect(try await server.inboxRows().last?.reason == "refund-review-answered")
        }
    }

    @Test func `a review of an unknown order is answered once the order is known, within a day`() async throws {
        try await Self.run { server in
            let user = ServerHarness.someone()
            let sale = try await Self.buy(user, server)
            try await Self.ask(server, about: sale)
            #expect(try await server.inboxRows().last?.reason == "purchase-unknown")
            try await Self.submit(sale, as: user, server)
            try await ServerHarness.sql("UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'failed'")
            #expect(try await server.inbox.work(limit: 10) == 1)
            #expect(try await Self.told(server).count == 1)

            let unknown = try await Self.buy(ServerHarness.someone(), server)
            try await Self.ask(server, about: unknown)
            try await ServerHarness.sql(
                """
                UPDATE wallet.inbox SET received_at = received_at - INTERVAL '24 hours 1 minute';
                UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'failed';
                """
            )
            #expect(try await server.inbox.work(limit: 10) == 1)
            #expect(try await Self.told(server).count == 1)
            #expect(try await server.inboxRows().last?.reason == "refund-review-unknown-order")
        }
    }

    @Test func `with answers disabled, the message is stored and shown`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await Self.buy(user, server)
            try await Self.submit(sale, as: user, server)
            try await Self.ask(server, about: sale)
            #expect(try await Self.told(server).isEmpty)
            #expect(try await server.inboxRows().last?.reason == "refund-review-off")
        }
    }
}
