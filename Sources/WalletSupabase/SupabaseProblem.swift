import Foundation
import Hummingbird
import JSON
import Wallet
import WalletAPI

extension Problem.Format {
    /// The format of the Supabase API.
    static let envelope = Self(contentType: "application/json") { $0.envelope }
}

extension Problem {
    /// The problem in the Supabase format: the same status, the Supabase error code, and the members as details.
    fileprivate var envelope: [String: JSONValue] {
        let code = SupabaseErrorCode(self)
        let title = ProblemType.title(of: self.slug, status: self.status.code)
        var error: [String: JSONValue] = [
            "code": .text(code.name),
            "message": .text(self.detail ?? "\(title)."),
            "timestamp": .text(Date().formatted(.iso8601)),
        ]
        let details = code.details(of: self)
        if !details.isEmpty { error["details"] = .object(details) }
        let meta: [String: JSONValue] = self.requestID.map { ["request_id": .text($0)] } ?? [:]
        return ["success": false, "error": .object(error), "meta": .object(meta)]
    }
}

/// The error code of a problem in the Supabase API.
///
/// It is the code that existing apps know, if there is one; otherwise it is the slug in capitals.
struct SupabaseErrorCode: Sendable, Equatable {
    let name: String

    private static let known: [String: String] = [
        "already-booked": "BOOKING_EXISTS",
        "authentication-unavailable": "SERVICE_UNAVAILABLE",
        "booking-closed": "BOOKING_WINDOW_CLOSED",
        "booking-not-found": "NOT_FOUND",
        "booking-not-open": "BOOKING_WINDOW_CLOSED",
        "class-closed": "BOOKING_WINDOW_CLOSED",
        "class-not-found": "NOT_FOUND",
        "conflict": "CONFLICT_ERROR",
        "malformed-request": "VALIDATION_ERROR",
        "not-cancellable": "CANNOT_CANCEL",
        "overlapping-booking": "SCHEDULE_CONFLICT",
        "payment-not-accepted": "CREDITS_NOT_ALLOWED",
        "rate-limited": "RATE_LIMIT_EXCEEDED",
        "route-not-found": "NOT_FOUND",
        "too-far-ahead": "BOOKING_WINDOW_CLOSED",
        "unauthenticated": "UNAUTHORIZED",
    ]

    init(_ problem: Problem) {
        switch problem.slug {
        case "class-full": self.name = Self.isSoldOut(problem) ? "CLASS_FULL" : "INSUFFICIENT_SPOTS"
        default:
            self.name = Self.known[problem.slug] ?? problem.slug.uppercased().replacing("-", with: "_")
        }
    }

    /// Returns the problem's members, with additional members under the names that existing apps read.
    func details(of problem: Problem) -> [String: JSONValue] {
        var details = problem.members
        switch self.name {
        case "VALIDATION_ERROR": details["errors"] = .array([.text(problem.detail ?? "The request is not valid.")])
        case "CLASS_FULL", "INSUFFICIENT_SPOTS":
            details["spots_available"] = problem.members["seats_left"]
            details["spots_requested"] = problem.members["seats_requested"]
        default: break
        }
        return details
    }

    private static func isSoldOut(_ problem: Problem) -> Bool {
        switch problem.members["seats_left"] {
        case .number(let left): left <= 0
        default: true
        }
    }
}
