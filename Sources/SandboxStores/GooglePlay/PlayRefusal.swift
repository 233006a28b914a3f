import Hummingbird

/// An error of the Android Publisher API.
struct PlayRefusal: Error {
    let status: HTTPResponse.Status
    let message: String
    let reason: String
    var location: (name: String, type: String)?

    /// The body in the format of Google's errors.
    var body: StoreJSON {
        var entry: [String: StoreJSON] = [
            "message": .text(self.message), "domain": .text(self.domain), "reason": .text(self.reason),
        ]
        if let location {
            entry["location"] = .text(location.name)
            entry["locationType"] = .text(location.type)
        }
        return [
            "error": [
                "code": .number(Int64(self.status.code)), "message": .text(self.message),
                "errors": [.object(entry)],
            ]
        ]
    }

    private var domain: String { self.status == .unauthorized ? "global" : "androidpublisher" }

    static let unauthenticated = PlayRefusal(
        status: .unauthorized,
        message: "Request had invalid authentication credentials. Expected OAuth 2 access token.",
        reason: "authError",
        location: ("Authorization", "header")
    )
    static let unknownPackage = PlayRefusal(
        status: .notFound,
        message: "No application was found for the given package name.",
        reason: "applicationNotFound",
        location: ("packageName", "parameter")
    )
    static let unknownToken = PlayRefusal(
        status: .notFound,
        message: "The purchase token was not found.",
        reason: "purchaseTokenNotFound",
        location: ("token", "parameter")
    )
    static let invalidState = PlayRefusal(
        status: .badRequest,
        message: "The purchase is not in a valid state to perform the desired operation.",
        reason: "invalidPurchaseState",
        location: ("token", "parameter")
    )
    static let notOwned = PlayRefusal(
        status: .badRequest,
        message: "The product purchase is not owned by the user.",
        reason: "productNotOwnedByUser",
        location: ("token", "parameter")
    )
    static let wrongProduct = PlayRefusal(
        status: .badRequest,
        message: "The purchase token does not match the product ID.",
        reason: "purchaseTokenDoesNotMatchProductId",
        location: ("token", "parameter")
    )
    static let invalidTime = PlayRefusal(
        status: .badRequest,
        message: "The time range is invalid.",
        reason: "invalid",
        location: ("startTime", "parameter")
    )
    static let unknownOrder = PlayRefusal(
        status: .notFound,
        message: "The order was not found.",
        reason: "orderNotFound",
        location: ("orderId", "parameter")
    )
    static let invalidAnswer = PlayRefusal(
        status: .badRequest,
        message: "The response to the refund review is invalid.",
        reason: "invalid",
        location: ("pendingRefundToken", "parameter")
    )
    static let unknownMethod = PlayRefusal(status: .notFound, message: "Not Found", reason: "notFound")
}
