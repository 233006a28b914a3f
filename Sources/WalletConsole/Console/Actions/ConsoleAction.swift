import Foundation
import HTTPTypes
import Wallet

/// An action that an operator can run from a page: a form, a preview of the changes, then the change itself.
struct ConsoleAction: Sendable {
    /// One field of the form.
    struct Field: Sendable {
        /// The type of a field's value.
        enum Kind: Sendable, Equatable {
            case text
            case integer
            /// Hundredths of a currency unit; the request body contains the unit with decimals.
            case minor
            case instant
            case choice([String])
            /// Texts separated by commas.
            case texts
            /// A value that the linking page provides; otherwise the operator enters it.
            case given
        }

        let name: String
        let label: String
        let kind: Kind
        var isRequired = true
        /// A Boolean value that indicates whether the request body contains the field.
        var isInBody = true
        /// The path of the field in the request body; empty for a member with the field's name.
        var place: [String] = []
    }

    /// The list from which the form reads the current values of an existing object.
    struct Source: Sendable {
        /// The name of the list, in its route below `/operator/` and in its response.
        let list: String
        /// The field that identifies the row.
        let id: String
    }

    /// The action's name in the page's address.
    let name: String
    let title: String
    /// The action's effect, in a sentence.
    let about: String
    /// The heading of the result page; for an adjustment, the balance before and after follows it.
    let result: String
    /// The route below `/operator/`.
    let route: String
    let needs: OperatorRight
    /// A Boolean value that indicates whether the action changes money, which requires a recent sign-in.
    var movesMoney = false
    let fields: [Field]
    /// The members that every request body of this action contains.
    var fixed: [String: JSONValue] = [:]
    /// The source of the current values; nil for an action that does not edit a whole object.
    var source: Source?

    /// Returns the API call for a completed form.
    ///
    /// - Parameters:
    ///   - values: The fields by name.
    ///   - key: The form's idempotency key; a form that is sent twice takes effect once.
    ///   - dryRun: A Boolean value that indicates whether the call only previews the changes.
    /// - Returns: The call.
    /// - Throws: ``ConsoleProblem`` for a required field that is empty or a value that cannot be parsed.
    func call(_ values: [String: String], key: String, dryRun: Bool) throws -> OperatorCall {
        var body = JSONValue.object(self.fixed)
        for field in self.fields {
            let text = values[field.name] ?? ""
            guard !text.isEmpty else {
                if field.isRequired { throw ConsoleProblem(status: 422, title: "\(field.label) is missing.") }
                continue
            }
            guard field.isInBody else { continue }
            body.set(try field.value(text), at: field.place.isEmpty ? [field.name] : field.place[...])
        }
        if self.route == "adjustments" { body.set(.text(key), at: ["reference"]) }
        return OperatorCall(
            .post,
            self.route,
            query: dryRun ? ["dry_run": "true"] : [:],
            environment: values["environment"].flatMap(WalletEnvironment.init),
            body: body,
            key: key
        )
    }
}

extension ConsoleAction.Field {
    /// Converts a browser's time field, which has no zone, to an instant.
    ///
    /// The value is UTC, as the field's label states.
    static func instant(_ text: String) -> String {
        switch text.count {
        case 16: "\(text):00Z"
        case 19: "\(text)Z"
        default: text
        }
    }

    /// Splits a text at its commas.
    static func texts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the field's text for an existing value.
    func filled(with value: JSONValue) -> String {
        switch (self.kind, value) {
        case (.instant, .text(let text)): String(text.prefix(19))
        case (.choice, .bool(let flag)): flag ? "true" : "false"
        case (.texts, .array(let items)): items.compactMap(\.text).joined(separator: ", ")
        default: value.shown
        }
    }

    fileprivate func value(_ text: String) throws -> JSONValue {
        switch (self.kind, text) {
        case (_, "true") where self.kind != .text: return .bool(true)
        case (_, "false") where self.kind != .text: return .bool(false)
        case (.integer, _):
            guard let number = Int64(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be a whole number.")
            }
            return .number(.init(number))
        case (.given, _) where ["claim_id", "flag_id", "inbox_id", "event_id"].contains(self.name):
            return Int64(text).map { .number(.init($0)) } ?? .text(text)
        case (.minor, _):
            guard let number = Int64(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be a whole number.")
            }
            return .number(Decimal(number) / 100)
        case (.instant, _): return .text(Self.instant(text))
        case (.texts, _): return .array(Self.texts(text).map { .text($0) })
        default: return .text(text)
        }
    }
}
