import Foundation
import Testing

@testable import Stores

/// Tests of the decoders with third-party samples of the store's responses.
@Suite
struct ServerAPIConformanceTests {
    private static let folder: URL = {
        let named = ProcessInfo.processInfo.environment["WALLET_VECTORS"]
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return URL(fileURLWithPath: named ?? "../shared/vectors", relativeTo: root)
            .appendingPathComponent("apple/models")
    }()

    private static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    private static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Self.folder.appendingPathComponent("\(name).json"))
    }

    private static func read<Answer: Decodable>(_ type: Answer.Type, _ name: String) throws -> Answer {
        try JSONDecoder().decode(type, from: try Self.data(name))
    }

    @Test(.enabled(if: Self.isPresent))
    func `a transaction and a page of the history are read`() throws {
        let transaction = try Self.read(AppStoreTransactionAnswer.self, "transactionInfoResponse")
        #expect(transaction.signedTransactionInfo == "signed_transaction_info_value")
        let history = try Self.read(AppStoreTransactionsAnswer.self, "transactionHistoryResponse")
        #expect(history.signedTransactions == ["signed_transaction_value", "signed_transaction_value2"])
        #expect(history.hasMore)
        #expect(history.revision == "revision_output")
        #expect(history.bundleID == "com.example")
        #expect(history.environment == "LocalTesting")
    }

    @Test(.enabled(if: Self.isPresent))
    func `all subscriptions of all groups are read`() throws {
        let answer = try Self.read(AppStoreSubscriptionsAnswer.self, "getAllSubscriptionStatusesResponse")
        let subscriptions = answer.data.flatMap(\.lastTransactions)
        #expect(subscriptions.map(\.status) == [1, 5, 2])
        #expect(subscriptions.map(\.originalTransactionID) == ["3749183", "5314314134", "3413453"])
        #expect(subscriptions.first?.signedTransactionInfo == "signed_transaction_one")
        #expect(subscriptions.last?.signedRenewalInfo == "signed_renewal_three")
        #expect(answer.bundleID == "com.example")
    }

    @Test(.enabled(if: Self.isPresent))
    func `the store's errors are decoded`() async throws {
        let unknown = APIStore.Answer(
            status: 404,
            body: String(decoding: try Self.data("transactionIdNotFoundError"), as: UTF8.self)
        )
        let failure = APIStore.Answer(status: 500, body: String(decoding: try Self.data("apiException"), as: UTF8.self))
        try await APIStore.run(.answering { $0.path.hasSuffix("/1") ? unknown : failure }) { api, _ in
            let notFound = await refusal { () throws(StoreError) in _ = try await api.transaction("1") }
            #expect(notFound?.code == .notFound)
            #expect(notFound?.storeStatus == 4_040_010)
            let unavailable = await refusal { () throws(StoreError) in _ = try await api.transaction("2") }
            #expect(unavailable?.code == .unavailable)
            #expect(unavailable?.storeStatus == 5_000_000)
        }
    }
}
