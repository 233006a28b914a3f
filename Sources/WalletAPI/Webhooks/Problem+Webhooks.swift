import HTTPTypes
import Stores

extension Problem {
    /// Without a proof to ask for, anyone could say that anyone bought anything.
    static let webhookNotConfigured = Problem(
        .serviceUnavailable,
        "webhook-not-configured",
        "No proof is configured for this store's messages, so none is taken.",
        retryAfter: 300
    )

    /// Informs the sender why a message is not taken, where sending it again as it is cannot help or needs time.
    static func messageRefused(_ error: StoreError) -> Problem {
        switch error.code {
        case .misconfigured, .unavailable, .rateLimited: Problem(error)
        // A store may not repeat what it was refused for good, and the app may only be missing in the configuration.
        case .wrongApp:
            Problem(
                .serviceUnavailable,
                "webhook-not-configured",
                "The message is about an app that is not configured here.",
                retryAfter: 3_600
            )
        default:
            Problem(
                .unauthorized,
                "webhook-not-proven",
                "The message does not prove that the store sent it: \(error.code).",
                headers: [.wwwAuthenticate: "Store-Proof realm=\"credit-wallet\""]
            )
        }
    }
}
