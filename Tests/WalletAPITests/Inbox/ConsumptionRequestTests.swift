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

/// Tests of the App Store's consumption requests, which must be answered within twelve hours.
@Suite(.database, .serialized) struct ConsumptionRequestTests {
    private struct Told: Decodable {
        let transactionID: String
        enum CodingKeys: String, CodingKey { case transactionID = "transaction_id" }
    }

    private static func run(_ test: @escaping @Sendable (ServerHarness) async throws -> Void) async throws {
        try await ServerHarness.withDatabase(adapt: { $0.sharesConsumption = true }, test)
    }

    /// Returns the purchases about which the store has received consumption information.
    private static func told(_ server: ServerHarness) async throws -> [String] {
        struct List: Decodable { let consumptions: [Told] }
        let url = "http://127.0.0.1:\(try #require(server.storePort))/sandbox/consumptions"
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
        let answer = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        return try JSONDecoder().decode(List.self, from: answer).consumptions.map(\.transactionID)
    }

    private static func ask(_ server: ServerHarness, about transactionID: String) async throws {
        _ = try await server.control("transactions/\(transactionID)/consumption-request", as: ServerHarness.Sale.self)
        let message = try #require(try await server.messages(of: "app_store").last)
        #expect(message.type == "CONSUMPTION_REQUEST")
        #expect(try await server.postAppStore(message.body).status == 200)
    }

    @Test func `a request before its purchase is answered once the purchase is known`() async throws {
        try await Self.run { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            try await Self.ask(server, about: sale.transactionID)
            let waiting = try #require(try await server.inboxRows().last)
            #expect(waiting.status == "failed")
            #expect(waiting.reason == "purchase-unknown")
            #expect(try await Self.told(server) == [])
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            try await ServerHarness.sql("UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'failed'")
            #expect(try await server.inbox.work(limit: 10) == 1)
            #expect(try await Self.told(server) == [sale.transactionID])
            #expect(try await server.inboxRows().last?.status == "processed")
        }
    }

    @Test func `a request that contains its purchase is answered at once`() async throws {
        try await Self.run { server in
            let user = try await ServerHarness.someoneKnown()
            let sale = try await server.buy(user, accountToken: user)
            try await Self.ask(server, about: sale.transactionID)
            #expect(try await server.credits(of: user) == 100)
            #expect(try await Self.told(server) == [sale.transactionID])
            #expect(try await server.inboxRows().last?.status == "processed")
        }
    }

    @Test func `after twelve hours a request is not answered`() async throws {
        try await Self.run { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            try await Self.ask(server, about: sale.transactionID)
            try await ServerHarness.sql(
                """
                UPDATE wallet.inbox SET received_at = received_at - INTERVAL '12 hours 1 minute';
                UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'failed';
                """
            )
            #expect(try await server.inbox.work(limit: 10) == 1)
            #expect(try await Self.told(server) == [])
            // The message's fact about the purchase still waits for the buyer.
            let row = try #require(try await server.inboxRows().last)
            #expect(row.status == "awaiting_user")
            #expect(row.reason == "unknown-user")
        }
    }
}
