/// What an operator says when they cancel a class.
struct ClassCancellation: Decodable {
    let reason: String

    /// Reads why, 1 to 500 characters.
    func checkedReason() throws -> String {
        try OperatorText.check(self.reason, "reason", upTo: 500)
        return self.reason
    }
}
