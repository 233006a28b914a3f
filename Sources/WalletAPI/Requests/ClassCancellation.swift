/// The body of an operator's request to cancel a class.
struct ClassCancellation: Decodable {
    let reason: String

    /// Returns the reason after checking that it has 1 to 500 characters.
    func checkedReason() throws -> String {
        try OperatorText.check(self.reason, "reason", upTo: 500)
        return self.reason
    }
}
