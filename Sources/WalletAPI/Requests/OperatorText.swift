/// Decides which texts the books take: reasons, references, names and the ids of users.
enum OperatorText {
    /// Refuses a text that is empty, blank or too long, or that holds control characters or controls of direction.
    static func check(_ text: String, _ name: String, upTo length: Int) throws {
        guard (1...length).contains(text.unicodeScalars.count), Subject.isClean(text), Subject.isVisible(text) else {
            throw Problem.member(name, "must be 1 to \(length) characters on one line", Received(text))
        }
    }
}
