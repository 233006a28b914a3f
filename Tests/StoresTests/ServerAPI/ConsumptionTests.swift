import Foundation
import Stores
import Testing

@Suite
struct ConsumptionTests {
    private static func members(_ information: ConsumptionInformation) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(information)) as? NSDictionary
    }

    @Test(arguments: [
        (10, 0, 0), (10, 4, 40_000), (3, 1, 33_333), (3, 2, 66_666), (7, 7, 100_000), (5, 9, 100_000), (5, -1, 0),
        (Int64.max, Int64.max - 1, 99_999), (Int64.max, Int64.max, 100_000),
    ])
    func `the spent share is reported in thousandths of a percent, rounded down`(
        granted: Int64,
        spent: Int64,
        share: Int
    ) {
        let information = ConsumptionInformation(granted: granted, spent: spent, kind: .oneTime)
        #expect(information.consumptionPercentage == share)
        #expect(information.deliveryStatus == .delivered)
    }

    @Test(arguments: [Int64(0), -1])
    func `a purchase that granted nothing is not delivered and not used`(granted: Int64) throws {
        let information = ConsumptionInformation(granted: granted, spent: 3, kind: .oneTime)
        #expect(
            try Self.members(information) == [
                "customerConsented": true, "deliveryStatus": "UNDELIVERED_OTHER", "sampleContentProvided": false,
                "consumptionPercentage": 0,
            ]
        )
    }

    @Test
    func `the share of a subscription is calculated by the store`() throws {
        let information = ConsumptionInformation(
            granted: 8,
            spent: 2,
            kind: .subscription,
            refundPreference: .grantProrated
        )
        #expect(
            try Self.members(information) == [
                "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
                "refundPreference": "GRANT_PRORATED",
            ]
        )
    }

    @Test(arguments: [
        (Int64(0), ConsumptionInformation.RefundPreference.grantFull), (4, .grantProrated), (10, .decline),
    ])
    func `a prorated refund of nothing or everything becomes a decline or a full refund`(
        spent: Int64,
        preference: ConsumptionInformation.RefundPreference
    ) {
        let information = ConsumptionInformation(
            granted: 10,
            spent: spent,
            kind: .oneTime,
            refundPreference: .grantProrated
        )
        #expect(information.refundPreference == preference)
    }

    @Test
    func `the response is sent only to the environment of the request`() async throws {
        for side in [StoreEnvironment.production, .sandbox] {
            try await APIStore.run(.answering { _ in APIStore.Answer(status: 202, body: "") }) { api, store in
                let information = ConsumptionInformation(
                    granted: 10,
                    spent: 4,
                    kind: .oneTime,
                    refundPreference: .decline
                )
                try await api.sendConsumption(information, of: "200/1", in: side)
                let call = try #require(store.calls.first)
                #expect(store.calls.count == 1)
                #expect(call.side == side)
                #expect(call.method == "PUT")
                #expect(call.path == "/inApps/v2/transactions/consumption/200%2F1")
                #expect(call.contentType == "application/json")
                #expect(
                    call.members as NSDictionary == [
                        "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
                        "consumptionPercentage": 40_000, "refundPreference": "DECLINE",
                    ]
                )
            }
        }
    }

    @Test(arguments: [(4_040_010, StoreError.Code.notFound), (4_000_047, .rejected), (4_010_000, .misconfigured)])
    func `a refusal of one environment is not sent to the other`(code: Int, expected: StoreError.Code) async throws {
        try await APIStore.run(.answering { _ in APIStore.Answer(code: code) }) { api, store in
            let information = ConsumptionInformation(granted: 10, spent: 4, kind: .oneTime)
            let error = await refusal { () throws(StoreError) in
                try await api.sendConsumption(information, of: "2001", in: .production)
            }
            #expect(error?.code == expected)
            #expect(error?.storeStatus == code)
            #expect(store.count(.production) == 1)
            #expect(store.count(.sandbox) == 0)
        }
    }
}
