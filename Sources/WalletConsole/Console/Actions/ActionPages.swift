import Foundation
import Hummingbird
import JSON
import Wallet

extension OperatorConsole {
    /// Adds the form of each action and the route that receives it.
    func addActions(to group: some RouterMethods<Context>) {
        let pages = ActionPages(templates: self.templates, apiURL: self.configuration.apiURL)
        for action in ConsoleAction.all {
            group.get("console/actions/\(action.name)") { request, context in
                try await self.visit(request, context) { visit in
                    if let again = try self.signInAgain(before: action, visit) { return again }
                    let content = try await pages.form(action, visit)
                    return try self.response(action.title, content, at: "actions", visit)
                }
            }
            group.post("console/actions/\(action.name)") { request, context in
                try await self.visit(request, context) { visit in
                    let values = try await self.form(visit)
                    if let again = try self.signInAgain(before: action, visit) { return again }
                    let content = try await pages.answer(action, values, visit)
                    return try self.response(action.title, content, at: "actions", visit)
                }
            }
        }
    }

    /// Returns a redirect to the sign-in if the action changes money and the last sign-in is too old; otherwise nil.
    ///
    /// - Throws: ``ConsoleProblem`` 403 if the issuer does not report the time of the sign-in. Another sign-in would
    ///   not help.
    private func signInAgain(before action: ConsoleAction, _ visit: Visit) throws -> Response? {
        guard action.movesMoney, visit.isStale else { return nil }
        guard visit.session.signedInAt != nil else {
            throw ConsoleProblem(
                status: 403,
                title: "This sign-in does not allow actions that move money.",
                detail: "The issuer's ID token has no auth_time, so the time of your sign-in is unknown. Ask the "
                    + "console's administrator to configure the issuer to send it, then sign in again."
            )
        }
        return Self.signInFirst(visit.request, again: true)
    }
}

/// Renders the pages of an action: the form, the preview and the result.
struct ActionPages: Sendable {
    let templates: ConsoleTemplates
    let apiURL: String

    /// Renders the form, filled with the existing values and the values in the query.
    func form(_ action: ConsoleAction, _ visit: Visit) async throws -> String {
        let key = "console-\(UUID().uuidString.lowercased())"
        let values = try await self.known(action, visit).merging(visit.queries) { $1 }
        return self.templates.draw("action", ActionForm(action, values, key: key, formToken: visit.formToken))
    }

    /// Returns the current values of the object that the action changes; empty for a new object.
    private func known(_ action: ConsoleAction, _ visit: Visit) async throws -> [String: String] {
        guard let source = action.source, !visit.query(source.id).isEmpty else { return [:] }
        let found = try await visit.interface.get(source.list, [source.id: visit.query(source.id)])[source.list]?.items
        guard let row = found?.first else {
            throw ConsoleProblem(status: 404, title: "Not found; it may have been removed.")
        }
        var values = ["known": "true"]
        for field in action.fields {
            values[field.name] = row[field.name].map { field.filled(with: $0) }
        }
        return values
    }

    /// Returns the page after a form was sent: the preview, or the result if a preview was confirmed.
    ///
    /// The database compares the confirmation with the preview under its own locks. If the form or any value that the
    /// action depends on has changed since the preview, the database changes nothing, and the page is a new preview.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - values: The form's values.
    ///   - visit: The request and its operator.
    /// - Returns: The page's content.
    /// - Throws: ``ConsoleProblem`` for errors that the page cannot show itself.
    func answer(_ action: ConsoleAction, _ values: [String: String], _ visit: Visit) async throws -> String {
        guard let key = values["key"], key.wholeMatch(of: /console-[0-9a-f-]{36}/) != nil else {
            throw ConsoleProblem(status: 400, title: "The form has no valid key. Open the form again.")
        }
        do {
            let shown = values["shown"] ?? ""
            guard values["step"] == "do", !shown.isEmpty else {
                return try await self.preview(action, values, key, visit)
            }
            do {
                let call = try action.call(values, key: key, dryRun: false)
                var confirmed = call
                confirmed.query = ["preview": shown]
                return self.page(action, values, call, try await visit.interface.json(confirmed), visit, isDone: true)
            } catch let problem as ConsoleProblem where problem.slug == "preview-outdated" {
                let notice = "The data changed since the preview. Check the new preview before you confirm."
                return try await self.preview(action, values, key, visit, notice)
            }
        } catch let problem as ConsoleProblem where problem.status < 500 {
            let isUnknown = problem.slug == "user-not-found" && action.fields.contains { $0.name == "new_user" }
            let hint = isUnknown ? "Check the id. If it is correct, set \"The user is new\" to true." : nil
            let error = [problem.title, problem.detail, hint].compactMap { $0 }.joined(separator: " ")
            return self.templates.draw(
                "action",
                ActionForm(action, values, key: key, formToken: visit.formToken, error: error)
            )
        }
    }

    /// Runs the action as a dry run and renders the preview.
    ///
    /// If the form's key was used before, renders that result.
    private func preview(
        _ action: ConsoleAction,
        _ values: [String: String],
        _ key: String,
        _ visit: Visit,
        _ notice: String? = nil
    ) async throws -> String {
        let answer = try await visit.interface.json(try action.call(values, key: key, dryRun: true))
        let call = try action.call(values, key: key, dryRun: false)
        guard answer["preview"]?.text == nil else {
            return self.page(action, values, call, answer, visit, notice: notice)
        }
        return self.page(action, values, call, answer, visit, notice: "This form was already sent.", isDone: true)
    }

    private func page(
        _ action: ConsoleAction,
        _ values: [String: String],
        _ call: OperatorCall,
        _ answer: JSONValue,
        _ visit: Visit,
        notice: String? = nil,
        isDone: Bool = false
    ) -> String {
        let preview = ActionPreview(
            action,
            values,
            answer,
            call: call,
            sql: self.sql(action, values),
            apiURL: self.apiURL,
            formToken: visit.formToken,
            notice: notice,
            isDone: isDone
        )
        return self.templates.draw("preview", preview)
    }

    /// Returns the SQL statement that does the same in psql.
    private func sql(_ action: ConsoleAction, _ values: [String: String]) -> String {
        var literals: [String: Any] = ["isTrue": values["tester"] == "true", "isKnown": values["known"] == "true"]
        literals["isNew"] = values["new_user"] == "true"
        literals["key"] = Self.literal(values["key"] ?? "")
        for field in action.fields {
            let text = values[field.name] ?? ""
            literals[field.name] =
                switch field.kind {
                case .instant where !text.isEmpty: Self.literal(ConsoleAction.Field.instant(text))
                case .texts:
                    "ARRAY[" + ConsoleAction.Field.texts(text).map(Self.literal).joined(separator: ", ") + "]::text[]"
                default: Self.literal(text)
                }
        }
        return self.templates.draw("\(action.name).sql", literals)
    }

    private static func literal(_ text: String) -> String {
        text.isEmpty ? "NULL" : "'" + text.replacing("'", with: "''") + "'"
    }
}

/// The form of an action, as its template renders it.
struct ActionForm: Sendable {
    /// One field of the form.
    struct Input: Sendable {
        let name: String
        let label: String
        let value: String
        let isGiven: Bool
        let type: String
        /// The step of a number or time field; nil for the browser's default.
        let step: String?
        let isRequired: Bool
        let options: [Option]
        /// A stored property, because templates access only stored properties.
        let isChoice: Bool
    }

    /// One option of a field.
    struct Option: Sendable {
        let value: String
        let isChosen: Bool
    }

    let title: String
    let about: String
    let address: String
    let inputs: [Input]
    let key: String
    let formToken: String
    let error: String?
    let back: String?
    /// A Boolean value that indicates whether the form changes an existing object.
    let isKnown: Bool

    init(_ action: ConsoleAction, _ values: [String: String], key: String, formToken: String, error: String? = nil) {
        self.title = action.title
        self.about = action.about
        self.address = WebAddress.page("actions/\(action.name)")
        self.key = key
        self.formToken = formToken
        self.error = error
        self.back = ConsoleAction.page(of: values)
        self.isKnown = values["known"] == "true"
        self.inputs = action.fields.map { Input($0, values[$0.name] ?? "") }
    }
}

extension ActionForm.Input {
    fileprivate init(_ field: ConsoleAction.Field, _ value: String) {
        self.name = field.name
        self.label = field.label
        self.value = value
        self.isRequired = field.isRequired
        // With a step of one second, the field keeps the seconds of an existing instant.
        self.step = field.kind == .instant ? "1" : nil
        self.isGiven = field.kind == .given && !value.isEmpty
        switch field.kind {
        case .choice(let choices):
            self.options = choices.map { ActionForm.Option(value: $0, isChosen: $0 == value) }
            self.type = ""
        case .integer, .minor:
            self.options = []
            self.type = "number"
        case .instant:
            self.options = []
            self.type = "datetime-local"
        case .text, .texts, .given:
            self.options = []
            self.type = "text"
        }
        self.isChoice = !self.options.isEmpty
    }
}

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
