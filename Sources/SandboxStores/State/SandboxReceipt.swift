import Foundation

/// A receipt: its app and its transactions.
struct SandboxReceipt: Codable, Sendable {
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var createdAt: Date
    var transactionIDs: [String]
}

/// An app server's report to the App Store about a purchase's consumption.
struct SandboxConsumption: Codable, Sendable {
    var transactionID: String
    var at: Date
    /// The body as sent.
    var body: String
}
