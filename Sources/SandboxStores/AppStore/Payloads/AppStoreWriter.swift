import Foundation

/// Writes the signed data of the App Store.
struct AppStoreWriter: Sendable {
    let signer: AppleSigner
    let appAppleID: Int64

    /// The subscription group to which all subscriptions of these stores belong.
    static let subscriptionGroup = "20000001"

    static func name(of environment: SandboxTransaction.Environment) -> AppleJSON {
        .text(environment == .production ? "Production" : "Sandbox")
    }
}
