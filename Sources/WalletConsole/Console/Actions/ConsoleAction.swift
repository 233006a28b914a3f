import Foundation
import HTTPTypes
import Wallet

/// Something that an operator can do from a page: a form, a preview of what it would change, then the deed.
struct ConsoleAction: Sendable {
    /// One field of the form.
    struct Field: Sendable {
        /// What is typed or chosen.
        enum Kind: Sendable, Equatable {
            case text
            case integer
            /// Hundredths of a currency's unit; the body has the unit with decimals.
            case minor
            case instant
            case choice([String])
            /// Texts separated by commas.
            case texts
            /// Given by the page that leads to the form; typed where it is not.
            case given
        }

        let name: String
        let label: String
        let kind: Kind
        var isRequired = true
        /// Whether the body has it.
        var isInBody = true
        /// Where it is in the body; by its name unless given.
        var place: [String] = []
    }

    /// Where the form finds what is there already, so that it is changed, not written again.
    struct Source: Sendable {
        /// The list, below `/operator/`, and in its answer.
        let list: String
        /// The field that names the row.
        let id: String
    }

    /// Its name in the page's address.
    let name: String
    let title: String
    /// What it does, in a sentence.
    let about: String
    /// The route below `/operator/`.
    let route: String
    let needs: OperatorRight
    /// Whether money moves, so that the sign-in must be fresh.
    var movesMoney = false
    let fields: [Field]
    /// Members of the body that every call has.
    var fixed: [String: JSONValue] = [:]
    /// Where what is changed is found; nil for an action that changes no whole thing.
    var source: Source?

    /// Makes the call that a filled form stands for.
    ///
    /// - Parameters:
    ///   - values: The fields by name.
    ///   - key: The form's own key: sent twice, it is done once.
    ///   - dryRun: Whether to see only what it would change.
    /// - Returns: The call.
    /// - Throws: ``ConsoleProblem`` for a field that is empty or cannot be read.
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
    /// A browser's field of an instant has no zone: it is meant as UTC, as its label says.
    static func instant(_ text: String) -> String {
        switch text.count {
        case 16: "\(text):00Z"
        case 19: "\(text)Z"
        default: text
        }
    }

    /// Texts that are separated by commas.
    static func texts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// What stands in the field for a value that is there already.
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
