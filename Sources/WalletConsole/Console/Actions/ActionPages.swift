import Foundation
import Hummingbird
import Wallet

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
