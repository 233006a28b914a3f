import Foundation
import HTTPTypes
import JOSE
import JSON
import Stores
import TestSupport
import Testing

@testable import SandboxStores
@testable import WalletAPI

/// Tests of `POST /webhooks/app-store`.
@Suite(.database, .serialized) struct AppStoreWebhookTests {
    @Test func `a signed notification is stored and applied once`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let before = try await server.inboxRows().count
            _ = try await server.buy(user, accountToken: user)
            // The wallet must know the user to resolve the account token.
            #expect(try await server.send(.get, "/balance", as: user).status == 200)
            let message = try #require(try await server.messages(of: "app_store").first)
            for _ in 0..<3 {
                let answer = try await server.postAppStore(message.body)
                #expect(answer.status == 200)
                #expect(answer.text.isEmpty)
            }
            #expect(try await server.inboxRows().count == before + 1)
        }
    }

    @Test func `a refund reported by the store deducts the credits`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            _ = try await server.control("transactions/\(sale.transactionID)/refund", as: ServerHarness.Sale.self)
            let message = try #require(try await server.messages(of: "app_store").last)
            #expect(message.type == "REFUND")
            #expect(try await server.postAppStore(message.body).status == 200)
            #expect(try await server.credits(of: user) == 0)
            #expect(
                try await server.inboxRows().last == .init(source: "app_store", type: "REFUND", status: "processed")
            )
        }
    }

    @Test func `a message that Apple did not sign is unproven and not stored`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            let user = ServerHarness.someone()
            _ = try await server.buy(user)
            _ = try await server.buy(user, separate: true)
            let payloads = try await server.messages(of: "app_store").map { message in
                try Self.payload(of: message.body).split(separator: ".").map(String.init)
            }
            let stranger = try SandboxPeers.stores().writer.signer.sign(["notificationType": .text("TEST")])
            let forged = "\(payloads[0][0]).\(payloads[1][1]).\(payloads[0][2])"
            for text in [forged, stranger, "e30.e30.e30", "abc", "", "{\"notificationType\":\"TEST\"}"] {
                let answer = try await server.send(.post, "/webhooks/app-store", json: ["signedPayload": text])
                #expect(answer.status == 401, "\(text.prefix(20))")
                #expect(answer.problem == "webhook-not-proven")
                #expect(answer.headers[.wwwAuthenticate] != nil)
            }
            #expect(try await server.inboxRows() == rows)
        }
    }

    @Test func `a body of another format is malformed, and an oversized one too large`() async throws {
        try await ServerHarness.withDatabase { server in
            for body in [
                "{}", "[]", "x", #"{"signedPayload":7}"#, #"{"signed_payload":"a.b.c"}"#, #"{"signedPayload":null}"#,
            ] {
                let answer = try await server.postAppStore(body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.problem == "malformed-request")
            }
            let large = #"{"signedPayload":""# + String(repeating: "a", count: 300 * 1_024) + "\"}"
            let answer = try await server.postAppStore(large)
            #expect(answer.status == 413)
            #expect(answer.problem == "payload-too-large")
        }
    }

    @Test func `another app's notification must be sent again, once the app is configured`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            _ = try await server.buy(ServerHarness.someone(), more: ["bundle_id": "com.example.other"])
            let message = try #require(try await server.messages(of: "app_store").last)
            let answer = try await server.postAppStore(message.body)
            #expect(answer.status == 503)
            #expect(answer.problem == "webhook-not-configured")
            #expect(answer.headers[.retryAfter] == "3600")
            // A transaction is signed by the same key but is not a notification.
            let sale = try await server.buy(ServerHarness.someone())
            let transaction = ["signedPayload": try #require(sale.signedTransaction)]
            #expect(try await server.send(.post, "/webhooks/app-store", json: transaction).status == 503)
            #expect(try await server.inboxRows() == rows)
        }
    }

    @Test func `an unknown type is stored and changes nothing`() async throws {
        try await ServerHarness.withDatabase { server in
            let answer = try await server.postAppStore(signing: Self.notification("SOMETHING_NEW", data: Self.data))
            #expect(answer.status == 200)
            let kept = try #require(try await server.inboxRows().last)
            #expect(kept.type == "SOMETHING_NEW")
            #expect(kept.status == "ignored")
            #expect(kept.reason != nil)
        }
    }

    @Test func `an unreadable message that Apple signed is quarantined once with its reason`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            // The refund notification lacks its transaction.
            let signer = try #require(server.stores).writer.signer
            let payload = try signer.sign(Self.notification("REFUND", data: Self.data))
            for _ in 0..<2 {
                let answer = try await server.send(.post, "/webhooks/app-store", json: ["signedPayload": payload])
                #expect(answer.status == 200)
            }
            let quarantined = ServerHarness.Kept(
                source: "app_store",
                type: "REFUND",
                status: "quarantined",
                reason: "unreadable"
            )
            #expect(try await server.inboxRows() == rows + [quarantined])
        }
    }

    @Test(arguments: ["null", #""x""#, "{}", "[]"])
    func `unreadable renewal information does not block a refund`(renewal: String) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            _ = try await server.control("transactions/\(sale.transactionID)/refund", as: ServerHarness.Sale.self)
            let message = try #require(try await server.messages(of: "app_store").last)
            let rows = try await server.inboxRows().count
            let body = try Self.notification(in: message.body, signedBy: server, renewal: renewal)
            for _ in 0..<2 { #expect(try await server.postAppStore(body).status == 200) }
            #expect(try await server.credits(of: user) == 0)
            let new = try await server.inboxRows().dropFirst(rows)
            // Null renewal information has no content, so it is not stored for later.
            #expect(new.map(\.status) == (renewal == "null" ? ["processed"] : ["quarantined", "processed"]))
            #expect(new.compactMap(\.reason) == (renewal == "null" ? [] : ["partly-unreadable"]))
        }
    }

    @Test(arguments: [-1, 100_001])
    func `a refund with an invalid percentage is quarantined as a refund`(percentage: Int) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            _ = try await server.control("transactions/\(sale.transactionID)/refund", as: ServerHarness.Sale.self)
            let message = try #require(try await server.messages(of: "app_store").last)
            let rows = try await server.inboxRows()
            let signer = try #require(server.stores).writer.signer
            let body = try Self.notification(in: message.body, signedBy: server) { data in
                var inner = try Self.members(ofSigned: try #require(data["signedTransactionInfo"]))
                inner["revocationPercentage"] = .integer(percentage)
                inner["revocationType"] = nil
                data["signedTransactionInfo"] = try signer.sign(inner)
            }
            #expect(try await server.postAppStore(body).status == 200)
            #expect(try await server.credits(of: user) == 100)
            let kept = ServerHarness.Kept(
                source: "app_store",
                type: "REFUND",
                status: "quarantined",
                reason: "unreadable"
            )
            #expect(try await server.inboxRows() == rows + [kept])
        }
    }

    @Test func `a forged transaction in a signed notification is not applied, but stored`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            _ = try await server.control("transactions/\(sale.transactionID)/refund", as: ServerHarness.Sale.self)
            let message = try #require(try await server.messages(of: "app_store").last)
            let rows = try await server.inboxRows().count
            let stranger = try SandboxPeers.stores().writer.signer
            let body = try Self.notification(in: message.body, signedBy: server) { data in
                let inner = try Self.members(ofSigned: try #require(data["signedTransactionInfo"]))
                data["signedTransactionInfo"] = try stranger.sign(inner)
            }
            #expect(try await server.postAppStore(body).status == 200)
            #expect(try await server.credits(of: user) == 100)
            let new = try await server.inboxRows().dropFirst(rows)
            #expect(new.map(\.status) == ["quarantined"])
            #expect(new.map(\.reason) == ["unreadable"])
        }
    }

    @Test func `without a root certificate no notification is accepted`() async throws {
        try await ServerHarness.withDatabase(adapt: without(\.signedData)) { server in
            let answer = try await server.postAppStore(#"{"signedPayload":"a.b.c"}"#)
            #expect(answer.status == 503)
            #expect(answer.problem == "webhook-not-configured")
            #expect(answer.headers[.retryAfter] != nil)
        }
    }

    private static let data: [String: JSONValue] = [
        "bundleId": .text(SandboxPeers.bundleID), "environment": .text("Production"), "appAppleId": .number(1),
    ]

    private static func notification(_ type: String, data: [String: JSONValue]) -> [String: JSONValue] {
        [
            "notificationType": .text(type), "notificationUUID": .text(UUID().uuidString), "version": .text("2.0"),
            "signedDate": .milliseconds(Date()), "data": .object(data),
        ]
    }

    /// Returns a notification with changed texts in its data, signed again.
    private static func notification(
        in body: String,
        signedBy server: ServerHarness,
        _ change: (inout [String: String]) throws -> Void
    ) throws -> String {
        var members = try Self.members(ofSigned: try Self.payload(of: body))
        guard case .object(var data)? = members["data"] else { throw CancellationError() }
        var texts: [String: String] = [:]
        for (name, value) in data {
            if case .text(let text) = value { texts[name] = text }
        }
        try change(&texts)
        for (name, text) in texts { data[name] = .text(text) }
        members["data"] = .object(data)
        let signed = try #require(server.stores).writer.signer.sign(members)
        return #"{"signedPayload":"\#(signed)"}"#
    }

    /// Returns a notification with the given JSON as the payload of its renewal information, signed again.
    private static func notification(
        in body: String,
        signedBy server: ServerHarness,
        renewal: String
    ) throws -> String {
        try Self.notification(in: body, signedBy: server) { data in
            let parts = try #require(data["signedTransactionInfo"]).split(separator: ".")
            data["signedRenewalInfo"] = "\(parts[0]).\(Data(renewal.utf8).base64URL).\(parts[2])"
        }
    }

    private static func members(ofSigned text: String) throws -> [String: JSONValue] {
        let parts = text.split(separator: ".")
        let payload = try #require(Data(base64URL: parts[1].utf8))
        return try JSONDecoder().decode([String: JSONValue].self, from: payload)
    }

    private static func payload(of body: String) throws -> String {
        let members = try JSONDecoder().decode([String: String].self, from: Data(body.utf8))
        return try #require(members["signedPayload"])
    }
}
