import Wallet

/// The changes that an action would make, or has made.
struct ActionPreview: Sendable {
    /// A changed member with its values before and after.
    struct Change: Sendable {
        let name: String
        let before: String
        let after: String
    }

    /// A value of the form, displayed or passed on.
    struct Value: Sendable {
        let name: String
        let value: String
    }

    let title: String
    let changes: [Change]
    let changesNothing: Bool
    /// The entered values under the labels of their fields.
    let sent: [Value]
    let values: [Value]
    let address: String
    let formToken: String
    let curl: String
    let sql: String
    /// The preview that a confirmation sends back; empty for a completed action.
    let shown: String
    let notice: String?
    let isDone: Bool
    let audit: String?
    let back: String?

    init(
        _ action: ConsoleAction,
        _ values: [String: String],
        _ answer: JSONValue,
        call: OperatorCall,
        sql: String,
        apiURL: String,
        formToken: String,
        notice: String? = nil,
        isDone: Bool = false
    ) {
        self.changes = [Change](answer)
        self.title = isDone ? Self.result(of: action, answer, self.changes) : action.title
        self.changesNothing = self.changes.isEmpty
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
        self.shown = answer["preview"]?.text ?? ""
        self.notice = notice
        self.audit = isDone && answer["audit_id"]?.number != nil ? WebAddress.page("list/audit") : nil
        self.isDone = isDone
        self.back = ConsoleAction.page(of: values)
    }

    /// Returns the heading of a completed action, such as "Balance updated: 35 → 40 credits".
    private static func result(of action: ConsoleAction, _ answer: JSONValue, _ changes: [Change]) -> String {
        let isComplete = !changes.isEmpty && changes.allSatisfy { !$0.before.isEmpty }
        guard answer["balance"] != nil, isComplete else { return action.result }
        let balances = changes.map { "\($0.before) → \($0.after) \($0.name)" }
        return "\(action.result): \(balances.joined(separator: ", "))"
    }
}

extension [ActionPreview.Change] {
    /// Compares the response's members before and after the action; for an adjustment, compares the wallet's balance.
    init(_ answer: JSONValue) {
        if let balance = answer["balance"] {
            self = ["credits", "visits"].compactMap { name in
                let (before, after) = (answer["before"]?[name]?.shown ?? "", balance[name]?.shown ?? "")
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
