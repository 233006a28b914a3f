import Crypto
public import Foundation
public import Stores
import Wallet

extension Inbox {
    /// Keeps a message that proved its sender but says something that this release cannot read.
    ///
    /// It is known by a digest, since its own id may be what cannot be read. The database stores what a later release
    /// needs to read it, and no subscriber attributes. What is no JSON object, or holds what PostgreSQL cannot store, is
    /// kept in base64.
    ///
    /// - Parameters:
    ///   - body: The message as it came.
    ///   - source: Who sent it.
    ///   - reason: Why it is kept.
    /// - Throws: ``WalletError`` 503 when it could not be kept.
    public func park(_ body: Data, from source: StoreEvent.Source, _ reason: String = "unreadable") async throws {
        let kept = Self.withoutAttributes(body)
        var text = String(decoding: kept, as: UTF8.self)
        if StorableJSON.holdsNUL(kept) || !Self.isObject(kept) {
            text = #"{"\#(Self.encoded)":"\#(kept.base64EncodedString())"}"#
        }
        let digest = SHA256.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try await self.wallet.park(text, from: source, id: "sha256:\(digest)", reason: reason)
    }

    private static let encoded = "base64"

    /// The message without subscriber attributes, where the database could not leave them out.
    ///
    /// PostgreSQL cannot read JSON that holds U+0000, and a user may have put it into an attribute.
    private static func withoutAttributes(_ body: Data) -> Data {
        guard
            StorableJSON.holdsNUL(body),
            case .object(var message)? = try? JSONDecoder().decode(JSONValue.self, from: body),
            case .object(var event)? = message["event"],
            event.removeValue(forKey: "subscriber_attributes") != nil
        else { return body }
        message["event"] = .object(event)
        return (try? JSONEncoder().encode(JSONValue.object(message))) ?? body
    }

    private static func isObject(_ body: Data) -> Bool {
        if case .object? = try? JSONDecoder().decode(JSONValue.self, from: body) { true } else { false }
    }

    /// The event of a stored message; one that an earlier release could not read is read again, as it can be by now.
    ///
    /// - Parameter content: What the inbox keeps of it.
    /// - Returns: The event; nil for what still cannot be read.
    func event(in content: InboxItem.Content) async -> StoreEvent? {
        switch content {
        case .event(let event): event
        case .raw(let body, .appStore): await self.notification(in: Self.decoded(body))
        case .raw(let body, .revenueCat): try? self.stores.revenueCatWebhook?.event(from: Self.decoded(body))
        case .raw(let body, .googlePlay): try? self.stores.googlePlayNotifications?.event(from: Self.decoded(body))
        case .unknown: nil
        }
    }

    /// A message as it came, out of base64 where that is how it is kept.
    private static func decoded(_ body: Data) -> Data {
        guard let kept = try? JSONDecoder().decode([String: String].self, from: body), kept.count == 1 else {
            return body
        }
        return kept[Self.encoded].flatMap { Data(base64Encoded: $0) } ?? body
    }

    private func notification(in body: Data) async -> StoreEvent? {
        guard let message = try? JSONDecoder().decode(SignedMessage.self, from: body) else { return nil }
        guard let event = try? await self.stores.signedData?.notification(message.signedPayload) else { return nil }
        // What could be read of it was taken when it came.
        return event.isPartlyUnreadable ? nil : event
    }
}
