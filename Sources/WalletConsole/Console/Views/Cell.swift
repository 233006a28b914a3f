import Foundation
import Wallet

/// One value in a table, as a template shows it.
struct Cell: Sendable {
    let text: String
    var link: String?
    /// The exact instant, where the value is one; a script shows it in the viewer's zone.
    var instant: String?
    let isNumber: Bool
    /// Whether the text stays on one line, as the names of states and dates do; what is longer is broken where it must be.
    let isShort: Bool

    init(_ text: String, link: String? = nil, isNumber: Bool = false) {
        self.text = text
        self.link = link
        self.isNumber = isNumber
        self.isShort = Self.isShort(text)
    }

    /// Shows a value of an answer by its name.
    ///
    /// - Parameters:
    ///   - value: The value; nil and null are nothing.
    ///   - name: The member's name: `user_id` and `class_id` lead to their pages, and what ends in `_at` or `_end` is an
    ///     instant.
    init(_ value: JSONValue?, of name: String) {
        let text = value?.shown ?? ""
        let isInstant = !text.isEmpty && (name == "at" || name.hasSuffix("_at") || name.hasSuffix("_end"))
        self.text = isInstant ? String(text.prefix(16)).replacing("T", with: " ") + " UTC" : text
        self.instant = isInstant ? text : nil
        self.isNumber = value?.number != nil
        self.isShort = Self.isShort(text)
        switch name {
        case "user_id" where !text.isEmpty: self.link = WebAddress.page("user", ["user_id": text])
        case "class_id" where !text.isEmpty: self.link = WebAddress.page("class", ["class_id": text])
        default: self.link = nil
        }
    }

    private static func isShort(_ text: String) -> Bool {
        text.utf8.count <= 20
    }
}
