import Foundation

/// A receipt: which transactions of which app it shows.
struct SandboxReceipt: Codable, Sendable {
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var createdAt: Date
    var transactionIDs: [String]
}

/// What an app server reported to the App Store of a purchase's consumption.
struct SandboxConsumption: Codable, Sendable {
    var transactionID: String
    var at: Date
    /// The body as it was sent.
    var body: String
}
