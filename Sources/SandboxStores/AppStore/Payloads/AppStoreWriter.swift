import Foundation

/// Writes what the App Store signs.
struct AppStoreWriter: Sendable {
    let signer: AppleSigner
    let appAppleID: Int64

    /// The one group that all subscriptions of these stores belong to.
    static let subscriptionGroup = "20000001"

    static func name(of environment: SandboxTransaction.Environment) -> AppleJSON {
        .text(environment == .production ? "Production" : "Sandbox")
    }
}
