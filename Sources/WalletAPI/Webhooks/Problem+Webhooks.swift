import HTTPTypes
import Stores

extension Problem {
    /// The refusal of messages from a store without a configured proof: an unproven message could claim any purchase.
    static let webhookNotConfigured = Problem(
        .serviceUnavailable,
        "webhook-not-configured",
        "No proof is configured for this store's messages, so the service rejects them.",
        retryAfter: 300
    )

    /// Returns the refusal of a message that cannot be accepted now or in its present form.
    static func messageRefused(_ error: StoreError) -> Problem {
        switch error.code {
        case .misconfigured, .unavailable, .rateLimited: Problem(error)
        // A store may not resend a message after a permanent refusal, and the app may only be missing in the
        // configuration.
        case .wrongApp:
            Problem(
                .serviceUnavailable,
                "webhook-not-configured",
                "The message is for an app that is not configured here.",
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
