import Foundation
import Wallet

/// A value in a table, as its template renders it.
struct Cell: Sendable {
    let text: String
    var link: String?
    /// The exact instant, if the value is one; a script converts it to the viewer's zone.
    var instant: String?
    let isNumber: Bool
    /// A Boolean value that indicates whether the text stays on one line, such as a state or a date; longer texts wrap.
    let isShort: Bool

    init(_ text: String, link: String? = nil, isNumber: Bool = false) {
        self.text = text
        self.link = link
        self.isNumber = isNumber
        self.isShort = Self.isShort(text)
    }

    /// Creates the cell for a member of a response.
    ///
    /// - Parameters:
    ///   - value: The value; nil and null give an empty cell.
    ///   - name: The member's name. `user_id` and `class_id` link to their pages; `at` and names that end in `_at` or
    ///     `_end` are instants.
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
