/// Decides which `sub` claims can name a person.
enum Subject {
    /// Returns whether a text is 1 to 255 characters that show it as it is; PostgreSQL cannot store NUL.
    static func isAcceptable(_ subject: String) -> Bool {
        let length = subject.unicodeScalars.count
        return length >= 1 && length <= 255 && Self.isClean(subject) && Self.isVisible(subject)
    }

    /// Returns whether a text has no control characters, no lines and no controls of direction, which show it in
    /// another order than it has.
    static func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
    }

    /// Returns whether there is something to see in a text.
    static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && scalar.properties.generalCategory != .format
        }
    }
}
