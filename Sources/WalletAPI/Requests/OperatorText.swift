/// Checks the texts that operators may store: reasons, references, names and user ids.
enum OperatorText {
    /// Refuses a text that is empty, blank or too long, or that contains control characters or bidirectional controls.
    static func check(_ text: String, _ name: String, upTo length: Int) throws {
        guard (1...length).contains(text.unicodeScalars.count), Subject.isClean(text), Subject.isVisible(text) else {
            throw Problem.member(name, "must be 1 to \(length) characters on one line", Received(text))
        }
    }
}
