/// Checks whether a `sub` claim can identify a user.
enum Subject {
    /// Returns whether a text has 1 to 255 characters, is visible and has no control characters; PostgreSQL cannot
    /// store NUL.
    static func isAcceptable(_ subject: String) -> Bool {
        let length = subject.unicodeScalars.count
        return length >= 1 && length <= 255 && Self.isClean(subject) && Self.isVisible(subject)
    }

    /// Returns whether a text has no control characters, no line separators and no bidirectional controls, which
    /// display a text in a different order.
    static func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
    }

    /// Returns whether a text contains at least one visible character.
    static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && scalar.properties.generalCategory != .format
        }
    }
}
