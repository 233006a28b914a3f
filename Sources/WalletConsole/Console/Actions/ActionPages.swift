import Foundation
import Hummingbird
import Wallet

/// Leads an action from its form through the preview to the deed.
struct ActionPages: Sendable {
    let templates: ConsoleTemplates
    let apiURL: String

    /// The form, with what the page knows that leads here, and what is there already.
    func form(_ action: ConsoleAction, _ visit: Visit) async throws -> String {
        let key = "console-\(UUID().uuidString.lowercased())"
        let values = try await self.known(action, visit).merging(visit.queries) { $1 }
        return self.templates.draw("action", ActionForm(action, values, key: key, formToken: visit.formToken))
    }

    /// What the fields hold of that which the action would change; nothing for something new.
    private func known(_ action: ConsoleAction, _ visit: Visit) async throws -> [String: String] {
        guard let source = action.source, !visit.query(source.id).isEmpty else { return [:] }
        let found = try await visit.interface.get(source.list, [source.id: visit.query(source.id)])[source.list]?.items
        guard let row = found?.first else { throw ConsoleProblem(status: 404, title: "It is not there (any more).") }
        var values = ["known": "true"]
        for field in action.fields {
            values[field.name] = row[field.name].map { field.filled(with: $0) }
        }
        return values
    }

    /// What a sent form leads to: the preview, or the deed where the preview was confirmed and still holds.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - values: What was sent.
    ///   - visit: Who sent it.
    /// - Returns: The page's content.
    /// - Throws: ``ConsoleProblem`` for what the page cannot say itself.
    func answer(_ action: ConsoleAction, _ values: [String: String], _ visit: Visit) async throws -> String {
        guard let key = values["key"], key.wholeMatch(of: /console-[0-9a-f-]{36}/) != nil else {
            throw ConsoleProblem(status: 400, title: "The form has no key. Open it again.")
        }
        do {
            let trial = try action.call(values, key: key, dryRun: true)
            let call = try action.call(values, key: key, dryRun: false)
            let present = try await self.present(action, values, visit)
            let expected = [ActionPreview.Change](try await visit.interface.json(trial), present: present)
            let preview = self.preview(action, values, expected, call, visit)
            guard values["step"] == "do" else { return self.templates.draw("preview", preview) }
            guard values["shown"] == preview.digest else {
                // What was done before under this key answers again, whatever it looks like now.
                let notice = "Something has changed since. Look again before you confirm."
                return self.templates.draw("preview", self.preview(action, values, expected, call, visit, notice))
            }
            let answer = try await visit.interface.json(call)
            let audit = answer["audit_id"]?.number.map { _ in WebAddress.page("list/audit") }
            return self.templates.draw(
                "preview",
                ActionPreview(
                    action,
                    values,
                    changes: expected,
                    call: call,
                    sql: self.sql(action, values),
                    apiURL: self.apiURL,
                    formToken: visit.formToken,
                    audit: audit,
                    isDone: true
                )
            )
        } catch let problem as ConsoleProblem where problem.status < 500 {
            let error = [problem.title, problem.detail].compactMap { $0 }.joined(separator: " ")
            return self.templates.draw(
                "action",
                ActionForm(action, values, key: key, formToken: visit.formToken, error: error)
            )
        }
    }

    private func preview(
        _ action: ConsoleAction,
        _ values: [String: String],
        _ changes: [ActionPreview.Change],
        _ call: OperatorCall,
        _ visit: Visit,
        _ notice: String? = nil
    ) -> ActionPreview {
        ActionPreview(
            action,
            values,
            changes: changes,
            call: call,
            sql: self.sql(action, values),
            apiURL: self.apiURL,
            formToken: visit.formToken,
            notice: notice
        )
    }

    /// The statement that does the same by psql.
    private func sql(_ action: ConsoleAction, _ values: [String: String]) -> String {
        var literals: [String: Any] = ["isTrue": values["tester"] == "true", "isKnown": values["known"] == "true"]
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

    /// The balance as it is, for an adjustment; a user first seen has none.
    private func present(_ action: ConsoleAction, _ values: [String: String], _ visit: Visit) async throws -> JSONValue?
    {
        guard action.route == "adjustments" else { return nil }
        do {
            return try await visit.interface.get(
                "balance",
                ["user_id": values["user_id"] ?? ""],
                environment: values["environment"].flatMap(WalletEnvironment.init)
            )
        } catch let problem as ConsoleProblem where problem.slug == "user-not-found" {
            return nil
        }
    }
}
