/// Decides which `sub` claims can name a person.
enum Subject {
    /// Tells whether a text is 1 to 255 characters without control characters; PostgreSQL cannot store NUL.
    static func isAcceptable(_ subject: String) -> Bool {
        let length = subject.unicodeScalars.count
        return length >= 1 && length <= 255 && Self.isClean(subject)
    }

    static func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
