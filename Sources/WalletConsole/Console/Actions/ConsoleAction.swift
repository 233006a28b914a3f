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
            case instant
            case choice([String])
            /// Given by the page that leads to the form.
            case given
        }

        let name: String
        let label: String
        let kind: Kind
        var isRequired = true
        /// What the body calls it; nil for a member that the body has not.
        var isInBody = true
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

    /// Makes the call that a filled form stands for.
    ///
    /// - Parameters:
    ///   - values: The fields by name.
    ///   - key: The form's own key: sent twice, it is done once.
    ///   - dryRun: Whether to see only what it would change.
    /// - Returns: The call.
    /// - Throws: ``ConsoleProblem`` for a field that is empty or cannot be read.
    func call(_ values: [String: String], key: String, dryRun: Bool) throws -> OperatorCall {
        var body = self.fixed
        for field in self.fields {
            let text = values[field.name] ?? ""
            guard !text.isEmpty else {
                if field.isRequired { throw ConsoleProblem(status: 422, title: "\(field.label) is missing.") }
                continue
            }
            if field.isInBody { body[field.name] = try field.value(text) }
        }
        if self.route == "adjustments" { body["reference"] = .text(key) }
        return OperatorCall(
            .post,
            self.route,
            query: dryRun ? ["dry_run": "true"] : [:],
            environment: values["environment"].flatMap(WalletEnvironment.init),
            body: .object(body),
            key: key
        )
    }
}

extension ConsoleAction.Field {
    fileprivate func value(_ text: String) throws -> JSONValue {
        switch (self.kind, text) {
        case (_, "true") where self.kind != .text: return .bool(true)
        case (_, "false") where self.kind != .text: return .bool(false)
        case (.integer, _):
            guard let number = Int64(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be a whole number.")
            }
            return .number(.init(number))
        case (.given, _) where self.name.hasSuffix("_id") && !["user_id", "booking_id"].contains(self.name):
            return Int64(text).map { .number(.init($0)) } ?? .text(text)
        // A browser's field of an instant has no zone: it is meant as UTC, as its label says.
        case (.instant, _): return .text(text.count == 16 ? "\(text):00Z" : text)
        default: return .text(text)
        }
    }
}
