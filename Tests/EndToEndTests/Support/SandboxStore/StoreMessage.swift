import Foundation
import WalletClient

/// A message that the sandbox stores wrote, posted or not.
struct StoreMessage: Decodable, Sendable {
    let source: String
    let id: String
    let type: String
    /// The wallet's last response status; nil before the first delivery.
    let status: Int?
    let body: String

    /// The message's text, with signed and encoded parts decoded.
    var text: String {
        switch self.source {
        case "app_store":
            let payload = Self.json(self.body)["signedPayload"]?.stringValue.map(Self.payload) ?? ""
            let data = Self.json(payload)["data"]
            return ["signedTransactionInfo", "signedRenewalInfo"].reduce(payload) { text, name in
                text + (data?[name]?.stringValue.map(Self.payload) ?? "")
            }
        case "google_play":
            let data = Self.json(self.body)["message"]?["data"]?.stringValue ?? ""
            return String(decoding: Data(base64Encoded: data) ?? Data(), as: UTF8.self)
        default: return self.body
        }
    }

    private static func json(_ text: String) -> [String: JSONValue] {
        (try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))) ?? [:]
    }

    /// Returns the signed payload of a compact JWS.
    private static func payload(_ jws: String) -> String {
        let parts = jws.split(separator: ".")
        guard parts.count == 3 else { return "" }
        let base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return String(decoding: Data(base64Encoded: padded) ?? Data(), as: UTF8.self)
    }
}

extension SandboxStore {
    private struct List: Decodable {
        let notifications: [StoreMessage]
    }

    /// Makes the stores write messages without posting them.
    func keepQuiet() async throws {
        _ = try await self.post("notifications", ["enabled": false])
    }

    /// Every message since the stores' start, oldest first.
    func messages() async throws -> [StoreMessage] {
        let answer = try await self.web.send(.get, "/sandbox/notifications")
        return try JSONDecoder().decode(List.self, from: answer.body).notifications
    }

    /// The messages about a purchase or its subscription, oldest first.
    func messages(about sale: Sale, from source: String? = nil) async throws -> [StoreMessage] {
        let names = [sale.transactionID, sale.originalTransactionID, sale.purchaseToken].filter { !$0.isEmpty }
        return try await self.messages().filter { message in
            guard message.source == source ?? message.source else { return false }
            let text = message.text
            return names.contains { text.contains($0) }
        }
    }

    /// Posts a message unchanged, and returns the wallet's response status when the wallet has applied the message.
    @discardableResult
    func deliver(_ message: StoreMessage) async throws -> Int? {
        let answer = try await self.settling {
            try await self.web.send(.post, "/sandbox/notifications/\(message.id)/redeliver")
        }
        return answer.json["status"]?.integerValue.map(Int.init)
    }

    /// Posts messages one after the other; the wallet must accept each.
    func deliver(_ messages: [StoreMessage]) async throws {
        for message in messages {
            let status = try await self.deliver(message)
            guard (200..<300).contains(status ?? 0) else {
                throw HarnessError("\(message.source)'s \(message.type) was answered \(status ?? 0)")
            }
        }
    }
}
