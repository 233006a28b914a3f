import Foundation
import Testing
import WalletClient

/// Tests of the events that the wallet sends to an endpoint.
@Suite struct WalletEventTests {
    private static let document: String = {
        let project = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        return (try? String(contentsOf: project.appending(path: "openapi.yaml"), encoding: .utf8)) ?? ""
    }()

    @Test func `an event is decoded with its members`() throws {
        let body = """
            {"type": "user.booking_blocked", "timestamp": "2026-11-21T01:31:00Z", "data": {"event_id": 41, "user_id": "anna",
            "environment": "production", "blocked_until": "2026-12-01T18:00:00Z", "later": [1]}}
            """
        let event = try WalletEvent(Data(body.utf8))
        #expect(event.type == .userBookingBlocked)
        #expect(event.eventID == 41)
        #expect(event.userID == "anna")
        #expect(event.timestamp == Date(timeIntervalSince1970: 1_795_224_660))
        #expect(event.instant("blocked_until") == Date(timeIntervalSince1970: 1_796_148_000))
        #expect(event.instant("user_id") == nil)
        #expect(event.integer("user_id") == nil)
        #expect(event.text("later") == nil)
    }

    @Test func `an event of a later version keeps its type`() throws {
        let body = #"{"type": "class.painted", "timestamp": "2026-11-21T01:31:00Z", "data": {}}"#
        let event = try WalletEvent(Data(body.utf8))
        #expect(event.type == "class.painted")
        #expect(event.userID == nil)
        #expect(throws: DecodingError.self) { try WalletEvent(Data("{}".utf8)) }
    }

    @Test func `every event of the interface has a type, and there are no others`() throws {
        let project = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let file = project.appending(path: "Sources/WalletClient/Values/Wallet/WalletEventType.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let named = Set(source.matches(of: #/Self\(rawValue: "([a-z_.]+)"\)/#).map { String($0.1) })
        let hooks = try #require(Self.document.firstRange(of: "\nwebhooks:")?.upperBound)
        let end = try #require(Self.document.firstRange(of: "\ncomponents:")?.lowerBound)
        let known = Set(Self.document[hooks..<end].matches(of: #/\n  ([a-z_]+\.[a-z_]+):\n/#).map { String($0.1) })
        #expect(named.count > 30)
        #expect(named == known)
    }

    @Test func `every source of a lot has a value`() throws {
        let list = #/source: \{type: string, enum: \[(pack, [a-z, ]+)\]/#
        let listed = try #require(Self.document.firstMatch(of: list)?.1)
        let known: Set<LotSource> = [.pack, .pass, .plan, .promo, .adjustment, .imported, .fee]
        #expect(Set(listed.split(separator: ", ").map { LotSource(rawValue: String($0)) }) == known)
    }
}
