import HTTPTypes

extension Problem {
    static let proofRequired = Problem(
        .forbidden,
        "proof-of-purchase-required",
        "A transaction id proves nothing unless the purchase names your account; send the signed transaction."
    )

    /// The reasons for which a purchase is somebody else's.
    static let foreignReasons: Set = ["transaction-already-claimed", "account-token-mismatch"]

    /// Refuses a submission of which everything is somebody else's; what has an owner weighs more than what names one.
    static func foreignPurchase(_ reasons: [String]) -> Problem {
        if reasons.contains("transaction-already-claimed") {
            return Problem(
                .conflict,
                "transaction-already-claimed",
                "The purchase has been credited to another account."
            )
        }
        return Problem(.forbidden, "account-token-mismatch", "The purchase was made for another account.")
    }
}
