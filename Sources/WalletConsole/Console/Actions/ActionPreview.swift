import Crypto
import Foundation
import Wallet

/// What an action would change, or has changed.
struct ActionPreview: Sendable {
    /// One member, before and after.
    struct Change: Sendable {
        let name: String
        let before: String
        let after: String
    }

    /// One value of the form, shown or carried along.
    struct Value: Sendable {
        let name: String
        let value: String
    }

    let title: String
    let changes: [Change]
    let changesNothing: Bool
    /// What was filled in, by the fields' labels.
    let sent: [Value]
    let values: [Value]
    let address: String
    let formToken: String
    let curl: String
    let sql: String
    /// Names what was shown: what is done must be that.
    let digest: String
    let notice: String?
    let isDone: Bool
    let audit: String?
    let back: String?

    init(
        _ action: ConsoleAction,
        _ values: [String: String],
        changes: [Change],
        call: OperatorCall,
        sql: String,
        apiURL: String,
        formToken: String,
        notice: String? = nil,
        audit: String? = nil,
        isDone: Bool = false
    ) {
        self.title = action.title
        self.changes = changes
        self.changesNothing = changes.isEmpty
        self.address = WebAddress.page("actions/\(action.name)")
        self.values = values.filter { !["form_token", "step", "shown"].contains($0.key) }
            .sorted { $0.key < $1.key }.map { Value(name: $0.key, value: $0.value) }
        self.sent = action.fields.compactMap { field in
            guard let value = values[field.name], !value.isEmpty else { return nil }
            return Value(name: field.label, value: value)
        }
        self.formToken = formToken
        self.curl = call.curl(to: apiURL)
        self.sql = sql
        let text = changes.map { "\($0.name)\n\($0.before)\n\($0.after)" }.joined(separator: "\n\n")
        self.digest = SHA256.hash(data: Data(text.utf8)).prefix(16).map { String($0, radix: 16) }.joined(separator: ".")
        self.notice = notice
        self.audit = audit
        self.isDone = isDone
        self.back = ConsoleAction.page(of: values)
    }
}

extension [ActionPreview.Change] {
    /// Reads what an answer says of before and after; the balance that an adjustment leaves is compared with the present.
    init(_ answer: JSONValue, present: JSONValue?) {
        if let balance = answer["balance"] {
            self = ["credits", "visits"].compactMap { name in
                let (before, after) = (present?[name]?.shown ?? "0", balance[name]?.shown ?? "")
                return before == after ? nil : ActionPreview.Change(name: name, before: before, after: after)
            }
            return
        }
        let (before, after) = (answer["before"]?.members ?? [:], answer["after"]?.members ?? [:])
        self = Set(before.keys).union(after.keys).sorted().map { name in
            ActionPreview.Change(
                name: name.replacing("_", with: " "),
                before: before[name]?.shown ?? "",
                after: after[name]?.shown ?? ""
            )
        }
    }
}
