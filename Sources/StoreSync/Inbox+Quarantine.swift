import Crypto
public import Foundation
import JSON
public import Stores
import Wallet

extension Inbox {
    /// Stores an authenticated message that this release cannot read.
    ///
    /// The message is identified by a digest, since its own id may be unreadable. The database stores the content that
    /// a later release needs to read it, without subscriber attributes. A body that is not a JSON object, or that
    /// PostgreSQL cannot store, is stored in base64.
    ///
    /// - Parameters:
    ///   - body: The message as received.
    ///   - source: The sender.
    ///   - reason: The reason why it is stored unread.
    /// - Throws: ``WalletError`` 503 when it could not be stored.
    public func quarantine(_ body: Data, from source: StoreEvent.Source, _ reason: String = "unreadable") async throws {
        let kept = Self.withoutAttributes(body)
        let encoded = #"{"\#(Self.encoded)":"\#(kept.base64EncodedString())"}"#
        let digest = SHA256.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let id = "sha256:\(digest)"
        guard !StorableJSON.holdsNUL(kept), Self.isObject(kept) else {
            return try await self.wallet.quarantine(encoded, from: source, id: id, reason: reason)
        }
        do {
            let text = String(decoding: kept, as: UTF8.self)
            try await self.wallet.quarantine(text, from: source, id: id, reason: reason)
        } catch let error as WalletError where error.status == 422 {
            // Foundation reads some bodies that PostgreSQL rejects as JSON, such as one with half of a surrogate pair.
            try await self.wallet.quarantine(encoded, from: source, id: id, reason: reason)
        }
    }

    private static let encoded = "base64"

    /// Returns the message without subscriber attributes if the database could not remove them.
    ///
    /// PostgreSQL cannot read JSON that contains U+0000, which a user may have put into an attribute.
    private static func withoutAttributes(_ body: Data) -> Data {
        guard
            StorableJSON.holdsNUL(body),
            case .object(var message)? = try? JSONDecoder().decode(JSONValue.self, external: body),
            case .object(var event)? = message["event"],
            event.removeValue(forKey: "subscriber_attributes") != nil
        else { return body }
        message["event"] = .object(event)
        return (try? JSONEncoder().encode(JSONValue.object(message))) ?? body
    }

    private static func isObject(_ body: Data) -> Bool {
        if case .object? = try? JSONDecoder().decode(JSONValue.self, external: body) { true } else { false }
    }

    /// Returns the event of a stored message; a message that an earlier release could not read is read again.
    ///
    /// - Parameter content: The stored content of the message.
    /// - Returns: The event; nil if it still cannot be read.
    func event(in content: InboxItem.Content) async -> StoreEvent? {
        switch content {
        case .event(let event): event
        case .raw(let body, .appStore): await self.notification(in: Self.decoded(body))
        case .raw(let body, .revenueCat): try? self.stores.revenueCatWebhook?.event(from: Self.decoded(body))
        case .raw(let body, .googlePlay): try? self.stores.googlePlayNotifications?.event(from: Self.decoded(body))
        case .unknown: nil
        }
    }

    /// Returns a message as received; decodes it if it is stored in base64.
    private static func decoded(_ body: Data) -> Data {
        guard let kept = try? JSONDecoder().decode([String: String].self, external: body), kept.count == 1 else {
            return body
        }
        return kept[Self.encoded].flatMap { Data(base64Encoded: $0) } ?? body
    }

    private func notification(in body: Data) async -> StoreEvent? {
        guard let message = try? JSONDecoder().decode(SignedMessage.self, external: body) else { return nil }
        guard let event = try? await self.stores.signedData?.notification(message.signedPayload) else { return nil }
        // The readable part of it was applied when it arrived.
        return event.isPartlyUnreadable ? nil : event
    }
}

/// The body of an App Store Server Notification.
public struct SignedMessage: Decodable {
    /// The notification as the store signed it.
    public let signedPayload: String
}
