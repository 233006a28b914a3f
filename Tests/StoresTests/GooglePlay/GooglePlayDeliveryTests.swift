import Foundation
import Stores
import Testing

@Suite(.serialized)
struct GooglePlayDeliveryTests {
    private enum Call: CaseIterable, Sendable {
        case consume
        case acknowledgeSubscription

        func run(_ api: GooglePlayAPI) async throws {
            switch self {
            case .consume: try await api.consume(productID: "a b", token: "t")
            case .acknowledgeSubscription: try await api.acknowledgeSubscription(productID: "plan:monthly", token: "t")
            }
        }

        var target: String {
            switch self {
            case .consume: "\(playPath)/products/a%20b/tokens/t:consume"
            case .acknowledgeSubscription: "\(playPath)/subscriptions/plan/tokens/t:acknowledge"
            }
        }
    }

    @Test(arguments: Call.allCases)
    private func `delivery is acknowledged at the purchase's own address`(call: Call) async throws {
        try await GooglePlayServer.run(status: 204, body: "") { store, api in
            try await call.run(api)
            #expect(store.calls.last?.method == "POST")
            #expect(store.calls.last?.target == call.target)
            #expect(store.calls.last?.authorization == "Bearer access-1")
        }
    }

    @Test(arguments: Call.allCases)
    private func `an earlier acknowledgement counts as success`(call: Call) async throws {
        let body = GooglePlayServer.refusal(400, "invalidPurchaseState")
        try await GooglePlayServer.run(status: 400, body: body) { store, api in
            try await call.run(api)
            #expect(store.calls(to: playPath).count == 1)
        }
    }

    @Test(arguments: Call.allCases)
    private func `a purchase that no longer belongs to the user is rejected`(call: Call) async throws {
        let body = GooglePlayServer.refusal(400, "productNotOwnedByUser")
        try await GooglePlayServer.run(status: 400, body: body) { _, api in
            let error = await #expect(throws: StoreError.self) { try await call.run(api) }
            #expect(error?.code == .rejected)
        }
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `the published response to a second acknowledgement counts as success`() async throws {
        let name = "google/play_store_product_acknowledgements_already_acknowledged.json"
        let vector = try JSONSerialization.jsonObject(with: try ThirdPartyFiles.bytes(of: name)) as? [String: Any]
        let body = try JSONSerialization.data(withJSONObject: try #require(vector?["body"]))
        try await GooglePlayServer.run(status: 400, body: String(decoding: body, as: UTF8.self)) { _, api in
            try await api.acknowledgeSubscription(productID: "fake_product_id", token: "fake_token")
        }
    }

    @Test
    func `voided purchases of at most thirty days are read page by page`() async throws {
        let script: @Sendable (ScriptedStore.Call) -> ScriptedStore.Answer = { call in
            guard call.target.hasSuffix("&token=p%2F2") else {
                return .init(
                    body: """
                        {"voidedPurchases":[{"purchaseToken":"a","orderId":"GPA.1","purchaseTimeMillis":"1788000000000",
                        "voidedTimeMillis":"1789000000000"}],"tokenPagination":{"nextPageToken":"p/2"}}
                        """
                )
            }
            return .init(
                body:
                    #"{"voidedPurchases":[{"purchaseToken":"b","voidedTimeMillis":"1789000000001","voidedQuantity":2}]}"#
            )
        }
        try await GooglePlayServer.run(answering: script) { store, api in
            let purchases = try await api.voidedPurchases(since: .distantPast)
            #expect(purchases.map(\.purchaseToken) == ["a", "b"])
            #expect(purchases.map(\.orderID) == ["GPA.1", nil])
            #expect(purchases.map(\.quantity) == [nil, 2])
            #expect(purchases.first?.voidedAt == Date(timeIntervalSince1970: 1_789_000_000))
            let first = try #require(store.calls(to: playPath).first?.target)
            #expect(
                first == "\(playPath)/voidedpurchases?startTime=1787408060000&type=1"
                    + "&includeQuantityBasedPartialRefund=true&maxResults=1000"
            )
        }
    }

    @Test
    func `endless pages are an error, and an empty list is valid`() async throws {
        try await GooglePlayServer.run(body: #"{"tokenPagination":{"nextPageToken":"x"}}"#) { store, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.voidedPurchases(since: playNow) }
            #expect(error?.code == .unavailable)
            #expect(store.calls(to: playPath).count == 100)
        }
        try await GooglePlayServer.run(body: "{}") { _, api in
            let purchases = try await api.voidedPurchases(since: playNow)
            #expect(purchases.isEmpty)
        }
    }
}
