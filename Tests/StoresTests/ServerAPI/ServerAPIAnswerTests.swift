import Foundation
import Stores
import Testing

/// Tests of signed responses that do not match the request, and of ids that contain path syntax.
@Suite
struct ServerAPIAnswerTests {
    private static func expectNone(_ sale: APISale, asking id: String) async throws {
        try await APIStore.run(.answering { _ in try sale.answer() }) { api, store in
            let error = await refusal { () throws(StoreError) in _ = try await api.transaction(id) }
            #expect(error?.code == .unavailable)
            #expect(store.calls.count == 1)
        }
    }

    @Test
    func `a response with another transaction is refused`() async throws {
        try await Self.expectNone(APISale(id: "2000000900000002"), asking: "2000000900000001")
    }

    @Test
    func `a transaction of the other environment is refused`() async throws {
        let sale = APISale(environment: "Sandbox")
        try await Self.expectNone(sale, asking: sale.id)
    }

    @Test
    func `data signed under an extra root is requested on both sides and counts as sandbox`() async throws {
        let sale = APISale()
        let root = try APISigner.rootCertificate()
        try await APIStore.run(
            answering: { _ in try sale.answer() },
            trust: { ($0.roots, $0.extraRoots) = ([], [root]) },
            check: { api, _ in
                let transaction = try await api.transaction(sale.id)
                #expect(transaction.environment == .sandbox)
            }
        )
    }

    @Test
    func `a transaction of another app of ours is refused`() async throws {
        let sale = APISale(bundleID: otherBundle)
        try await Self.expectNone(sale, asking: sale.id)
    }

    @Test
    func `a transaction of a foreign app is refused`() async throws {
        let sale = APISale(bundleID: "org.example.foreign")
        try await APIStore.run(.answering { _ in try sale.answer() }) { api, _ in
            let error = await refusal { () throws(StoreError) in _ = try await api.transaction(sale.id) }
            #expect(error?.code == .unavailable)
        }
    }

    @Test
    func `an unsigned transaction is refused`() async throws {
        let sale = APISale()
        var parts = try sale.signed().split(separator: ".")
        parts[2] = try APISale(signedAfter: 61).signed().split(separator: ".")[2]
        let forged = parts.joined(separator: ".")
        try await APIStore.run(.answering { _ in try .init(["signedTransactionInfo": forged]) }) { api, _ in
            let error = await refusal { () throws(StoreError) in _ = try await api.transaction(sale.id) }
            #expect(error?.code == .unavailable)
        }
    }

    @Test
    func `the fact has the signing time and the API as its source`() async throws {
        let sale = APISale(signedAfter: 90)
        try await APIStore.run(.answering { _ in try sale.answer() }) { api, _ in
            let fact = try await api.transaction(sale.id).fact(source: .serverAPI)
            #expect(fact.source == .serverAPI)
            #expect(fact.sourceAt == APISale.start.addingTimeInterval(90))
            #expect(fact.storeProductID == starter)
        }
    }

    @Test(arguments: [
        ("../x", "..%2Fx"), ("a/b", "a%2Fb"), ("%2e%2e", "%252e%252e"), ("?x", "%3Fx"), ("a#b", "a%23b"),
        ("ünï", "%C3%BCn%C3%AF"), ("1?revision=2", "1%3Frevision%3D2"), ("1/../../v2", "1%2F..%2F..%2Fv2"),
    ])
    func `an id stays one segment of the path`(id: String, segment: String) async throws {
        try await APIStore.run(.answering { _ in .notFound }) { api, store in
            _ = await refusal { () throws(StoreError) in _ = try await api.transaction(id) }
            _ = await refusal { () throws(StoreError) in _ = try await api.history(of: id) }
            _ = await refusal { () throws(StoreError) in _ = try await api.subscriptions(of: id) }
            let paths = ["/inApps/v1/transactions/", "/inApps/v2/history/", "/inApps/v1/subscriptions/"]
            #expect(store.calls.map(\.path) == paths.flatMap { [$0 + segment, $0 + segment] })
        }
    }

    @Test(arguments: ["", ".", "..", "a\r\nHost: evil", "a\u{0}", String(repeating: "1", count: 2_000)])
    func `an invalid id is not sent`(id: String) async throws {
        try await APIStore.run(.answering { _ in .notFound }) { api, store in
            let information = ConsumptionInformation(granted: 1, spent: 0, kind: .oneTime)
            let errors = [
                await refusal { () throws(StoreError) in _ = try await api.transaction(id) },
                await refusal { () throws(StoreError) in _ = try await api.history(of: id) },
                await refusal { () throws(StoreError) in _ = try await api.subscriptions(of: id) },
                await refusal { () throws(StoreError) in
                    try await api.sendConsumption(information, of: id, in: .production)
                },
            ]
            #expect(errors.allSatisfy { $0?.code == .notFound })
            #expect(store.calls.isEmpty)
        }
    }
}
