import HTTPTypes

/// The reason of a failed sign-in, as a page shows it.
struct SignInProblem: Error, Sendable {
    let title: String
    let reason: String
    let status: HTTPResponse.Status
    /// The number of seconds to wait before a retry; nil if no value is known.
    var retryAfter: Int?

    /// A sign-in that this service or the issuer refused.
    init(_ error: SignInError) {
        self.title = "You are not signed in."
        self.reason = error.reason
        switch error {
        case .issuerUnavailable, .answerTooLarge, .answerUnreadable, .anotherIssuer, .issuerUnsuitable, .clientRefused,
            .exchangeRefused:
            self.status = .serviceUnavailable
            self.retryAfter = 5
        case .invalidConfiguration, .returnPath, .state, .tooLate, .declined, .authorizationRefused, .codeRefused,
            .idToken, .notAuthenticatedAgain, .noAuthenticationTime, .responseIssuer:
            self.status = .badRequest
        }
    }

    /// The issuer authenticated the user, but no claim grants a right in this console.
    static let withoutRight = Self(
        title: "You have no access to this console.",
        reason: "You signed in at the issuer, but it assigns you no role for this console. Ask the console's "
            + "administrator for access.",
        status: .forbidden
    )

    /// The browser has no pending sign-in.
    static let notBegun = Self(
        title: "You are not signed in.",
        reason: "No sign-in is pending in this browser; it may be completed already. Sign in again.",
        status: .badRequest
    )

    /// The database is unavailable, so an earlier session could not be ended.
    static func unavailable(retryAfter: Int?) -> Self {
        var problem = Self(
            title: "You are not signed in.",
            reason: "The database is unavailable. Try again.",
            status: .serviceUnavailable
        )
        problem.retryAfter = retryAfter ?? 1
        return problem
    }

    /// Too many sign-ins came from this address.
    static func tooMany(wait: Int) -> Self {
        var problem = Self(
            title: "Too many sign-ins.",
            reason: "Too many sign-ins came from your address. Try again in \(wait) seconds.",
            status: .tooManyRequests
        )
        problem.retryAfter = wait
        return problem
    }

    private init(title: String, reason: String, status: HTTPResponse.Status) {
        self.title = title
        self.reason = reason
        self.status = status
    }
}
