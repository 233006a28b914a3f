import Foundation
import Logging
import Stores
import Testing

@Suite
struct ServerAPINotificationTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private static let end = Date(timeIntervalSince1970: 1_790_086_400.5)

    private static func notification(_ number: Int, on side: StoreEnvironment?) throws -> [String: any Sendable] {
        var data: [String: any Sendable] = [
            "bundleId": appBundle, "environment": side == .sandbox ? "Sandbox" : "Production",
        ]
        if side == .production { data["appAppleId"] = APISigner.appAppleID }
        return [
            "sendAttempts": [["sendAttemptResult": "NO_RESPONSE"]],
            "signedPayload": try APISigner.sign([
                "notificationType": "TEST", "notificationUUID": "00000000-0000-4000-8000-00000000000\(number)",
                "version": "2.0", "signedDate": APISale.milliseconds(0), "data": data,
            ]),
        ]
    }

    private static func page(
        _ list: [[String: any Sendable]],
        next token: String? = nil
    ) throws -> APIStore.Answer {
        var members: [String: any Sendable] = ["notificationHistory": list, "hasMore": token != nil]
        members["paginationToken"] = token
        return try APIStore.Answer(members)
    }

    private static func numbers(_ events: [StoreEvent]) -> [String] {
        events.map { String($0.id.suffix(1)) }
    }

    @Test
    func `all pages of both sides are read`() async throws {
        try await APIStore.run(
            answering: { call in
                switch (call.side, call.path) {
                case (.production, "/inApps/v1/notifications/history"):
                    return try Self.page([try Self.notification(1, on: .production)], next: "t+1")
                case (.production, "/inApps/v1/notifications/history?paginationToken=t%2B1"):
                    return try Self.page([try Self.notification(2, on: .production)])
                case (.sandbox, "/inApps/v1/notifications/history"):
                    return try Self.page([try Self.notification(3, on: .sandbox)])
                default: return APIStore.Answer(code: 4_000_006)
                }
            },
            check: { api, store in
                let events = try await api.notifications(from: Self.start, to: Self.end, onlyFailures: true)
                #expect(Self.numbers(events) == ["1", "2", "3"])
                #expect(events.allSatisfy { $0.source == .appStore && $0.type == "TEST" })
                for call in store.calls {
                    #expect(call.method == "POST")
                    #expect(call.contentType == "application/json")
                    #expect(
                        call.members as NSDictionary == [
                            "startDate": 1_790_000_000_000, "endDate": 1_790_086_400_500, "onlyFailures": true,
                        ]
                    )
                }
            }
        )
    }

    @Test
    func `notifications that cannot be read are left out and counted in the log`() async throws {
        try await APIStore.run(
            answering: { _ in
                let good = try Self.notification(1, on: .production)
                return try Self.page([["signedPayload": "no.such.thing"], good, ["signedPayload": ""]])
            },
            check: { api, store in
                let events = try await api.notifications(
                    from: Self.start,
                    to: Self.end,
                    onlyFailures: false,
                    in: .production
                )
                #expect(Self.numbers(events) == ["1"])
                #expect(store.count(.sandbox) == 0)
                let line = try #require(store.logs.lines.first { $0.level == .warning })
                #expect(line.text.contains(#""count": 2"#) || line.text.contains("count: 2"))
            }
        )
    }

    @Test(arguments: [StoreEnvironment.production, .sandbox])
    func `a side that refuses the token is passed over, two are not`(side: StoreEnvironment) async throws {
        let refused = APIStore.Answer(status: 401, body: "Unauthenticated")
        try await APIStore.run(
            answering: { call in
                guard let other = call.side, other != side else { return refused }
                return try Self.page([try Self.notification(1, on: other)])
            },
            check: { api, _ in
                let events = try await api.notifications(from: Self.start, to: Self.end, onlyFailures: true)
                #expect(Self.numbers(events) == ["1"])
            }
        )
        try await APIStore.run(.answering { _ in refused }) { api, _ in
            let error = await refusal { () throws(StoreError) in
                _ = try await api.notifications(from: Self.start, to: Self.end, onlyFailures: true)
            }
            #expect(error?.code == .misconfigured)
        }
    }

    @Test
    func `an outage of one side is not passed over`() async throws {
        try await APIStore.run(
            answering: { $0.side == .production ? APIStore.Answer(status: 500) : try Self.page([]) },
            check: { api, _ in
                let error = await refusal { () throws(StoreError) in
                    _ = try await api.notifications(from: Self.start, to: Self.end, onlyFailures: true)
                }
                #expect(error?.code == .unavailable)
            }
        )
    }

    @Test
    func `pages without an end are no answer`() async throws {
        try await APIStore.run(.answering { _ in try Self.page([], next: "same") }) { api, store in
            let error = await refusal { () throws(StoreError) in
                _ = try await api.notifications(
                    from: Self.start,
                    to: Self.end,
                    onlyFailures: true,
                    in: .sandbox
                )
            }
            #expect(error?.code == .unavailable)
            #expect(store.calls.count == 2)
        }
    }
}
