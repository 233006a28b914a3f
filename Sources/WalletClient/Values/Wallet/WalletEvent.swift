public import Foundation

/// An event that the wallet sends to an endpoint, for servers that receive events.
///
/// Verify the request's signature before you decode its body. The section `webhooks` of the API's description lists the
/// members of each type.
///
///     let event = try WalletEvent(body)
///     switch event.type {
///     case .creditsLow: remind(event.userID)
///     case .userBookingBlocked: explain(event.instant("blocked_until"))
///     default: break
///     }
public struct WalletEvent: Sendable, Equatable {
    /// The type.
    public let type: WalletEventType
    /// The time of the change.
    public let timestamp: Date
    /// The members of the event.
    public let data: [String: JSONValue]

    /// Decodes the body of a request.
    ///
    /// - Parameter body: The body, after its signature was verified.
    /// - Throws: `DecodingError` if the body is not an event.
    public init(_ body: Data) throws {
        let event = try WalletClient.decoder.decode(Body.self, from: body)
        self.type = event.type
        self.timestamp = event.timestamp
        self.data = event.data
    }

    /// The number of the event, the same in every delivery; `nil` for an event without one.
    public var eventID: Int64? { self.integer("event_id") }

    /// The user whom the event concerns; `nil` for an event without a user.
    public var userID: String? { self.text("user_id") }

    /// Returns a member that is text.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: The text; `nil` for another value or none.
    public func text(_ name: String) -> String? {
        guard case .string(let text) = self.data[name] else { return nil }
        return text
    }

    /// Returns a member that is a whole number.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: The number; `nil` for another value or none.
    public func integer(_ name: String) -> Int64? {
        guard case .integer(let number) = self.data[name] else { return nil }
        return number
    }

    /// Returns a member that is an instant.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: The instant; `nil` for another value or none.
    public func instant(_ name: String) -> Date? {
        self.text(name).flatMap { try? Date($0, strategy: .iso8601) }
    }

    private struct Body: Decodable {
        let type: WalletEventType
        let timestamp: Date
        let data: [String: JSONValue]
    }
}
