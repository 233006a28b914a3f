import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

/// Tests that responses and log lines contain no proof of purchase and no personal data.
@Suite(.database) struct SecrecyTests {
    @Test func `proofs of purchase and of persons are in no answer and no log line`() async throws {
        let lines = LogLines()
        try await ServerHarness.withDatabase(logger: lines.logger()) { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let play = try await server.buy(user, more: ["store": "play_store"])
            let receipt = try #require(sale.receipt)
            let signed = try #require(sale.signedTransaction)
            let token = try #require(play.purchaseToken)
            let guest = ServerHarness.someone()
            let anonymous = try ServerHarness.anonymousToken(guest)
            let bodies: [[String: any Sendable]] = [
                ["store": "app_store", "receipt": receipt], ["store": "app_store", "receipt": receipt + "!"],
                ["store": "app_store", "signed_transaction": signed],
                ["store": "app_store", "signed_transaction": signed + "x"],
                ["store": "app_store", "transaction_id": sale.transactionID], ["store": "revenuecat"],
                ["store": "play_store", "product_id": ServerHarness.pack, "purchase_token": token],
                ["store": "play_store", "product_id": ServerHarness.pack, "purchase_token": token + "x"],
                ["store": "play_store", "purchase_token": token],
            ]
            var answers: [Answer] = []
            for path in ["/receipts", "/restore"] {
                for body in bodies { answers.append(try await server.send(.post, path, as: user, json: body)) }
            }
            try await server.fault(["target": "play", "status": 500, "count": 50])
            try await server.fault(["target": "server_api", "status": 500, "count": 50])
            for body in bodies { answers.append(try await server.send(.post, "/receipts", as: user, json: body)) }
            answers += try await Self.webhooks(server)
            answers.append(try await server.send(.post, "/identify", as: user, json: ["anonymous_token": anonymous]))
            let identified = answers.count - 1
            answers.append(try await server.send(.delete, "/account", as: user))

            let secrets = [
                receipt, signed, token, anonymous, try ServerHarness.token(user), SandboxPeers.authorization,
                SandboxPeers.signingSecret, SandboxPeers.apiKey,
            ]
            for secret in secrets {
                #expect(answers.allSatisfy { !$0.text.contains(secret) })
                #expect(lines.all.allSatisfy { !$0.contains(secret) })
            }
            // Only GET /balance and POST /identify return the caller's own id.
            for (index, answer) in answers.enumerated() where index != identified {
                #expect(!answer.text.contains(user), "\(answer.text)")
            }
            for line in lines.all {
                #expect(!line.contains(user), "\(line)")
                #expect(!line.contains(guest), "\(line)")
            }
            #expect(lines.all.count >= answers.count)
        }
    }

    private static func webhooks(_ server: ServerHarness) async throws -> [Answer] {
        var answers: [Answer] = []
        for message in try await server.messages(of: "app_store") {
            answers.append(try await server.postAppStore(message.body))
            answers.append(try await server.postAppStore(message.body.replacing("eyJ", with: "eyK")))
        }
        for message in try await server.messages(of: "google_play") {
            answers.append(try await server.postGooglePlay(message.body))
        }
        for message in try await server.messages(of: "revenuecat") {
            answers.append(try await server.postRevenueCat(message.body))
            answers.append(try await server.postRevenueCat(message.body, signature: "t=1,v1=00"))
        }
        return answers
    }
}
