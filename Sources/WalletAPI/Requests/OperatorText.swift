import Foundation

/// Decides which texts of operators the books take.
enum OperatorText {
    /// Refuses a text that is empty, blank, too long or has control characters.
    static func check(_ text: String, _ name: String, upTo length: Int) throws {
        guard
            (1...length).contains(text.unicodeScalars.count), Subject.isClean(text),
            !text.trimmingCharacters(in: .whitespaces).isEmpty
        else { throw Problem.malformed("The member \"\(name)\" must be 1 to \(length) characters on one line.") }
    }
}
