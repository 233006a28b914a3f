/// The subtype of an App Store Server Notification; unknown subtypes survive decoding.
public struct NotificationSubtype: RawRepresentable, Decodable, Hashable, Sendable {
    /// The subtype as the store writes it.
    public let rawValue: String

    /// Creates a subtype.
    /// - Parameter rawValue: The subtype as the store writes it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Renewal was turned on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    /// Renewal was turned off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
}
