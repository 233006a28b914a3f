import Foundation
import Hummingbird
import JSON
import Wallet

extension OperatorConsole {
    /// Adds the form of each action and the route that receives it.
    func addActions(to group: some RouterMethods<Context>) {
        let pages = ActionPages(templates: self.templates, apiURL: self.configuration.apiURL)
        for action in ActionDescription.all {
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
    private func signInAgain(before action: ActionDescription, _ visit: Visit) throws -> Response? {
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
    func form(_ action: ActionDescription, _ visit: Visit) async throws -> String {
        let key = "console-\(UUID().uuidString.lowercased())"
        var values = try await self.known(action, visit).merging(visit.queries) { $1 }
        // Values from the link are read-only, also after a refusal; typed values never are.
        values["given"] = visit.queries.filter { !$0.value.isEmpty }.keys.sorted().joined(separator: ",")
        if values["time_zone"] == nil, action.fields.contains(where: { $0.name == "time_zone" }) {
            values["time_zone"] = visit.zone.name
        }
        return self.templates.draw("action", ActionForm(action, values, key: key, visit))
    }

    /// Returns the current values of the object that the action changes or copies; empty for a new object.
    ///
    /// A copy gets its own id and start.
    private func known(_ action: ActionDescription, _ visit: Visit) async throws -> [String: String] {
        guard let (list, id) = action.source else { return [:] }
        let copied = visit.query("copy")
        guard let found = [visit.query(id), copied].first(where: { !$0.isEmpty }) else { return [:] }
        guard let row = try await visit.interface.rows(of: list, [id: found]).items.first else {
            throw ConsoleProblem(status: 404, title: "Not found; it may have been removed.")
        }
        var values: [String: String] = [:]
        for field in action.fields {
            values[field.name] = row[field.name].map { field.filled(with: $0, in: visit.zone) }
            if field.kind == .instant { values[field.originalName] = row[field.name]?.text }
        }
        guard copied.isEmpty else {
            for name in [id, "starts_at", "starts_at_original", "from_date", "ends_on", "exceptions"] {
                values[name] = nil
            }
            return values
        }
        values["known"] = "true"
        // A change of a series applies from a day on, which the operator chooses.
        values["from_date"] = nil
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
    func answer(_ action: ActionDescription, _ values: [String: String], _ visit: Visit) async throws -> String {
        let values = action.joined(values)
        guard let key = values["key"], key.wholeMatch(of: /console-[0-9a-f-]{36}/) != nil else {
            throw ConsoleProblem(status: 400, title: "The form has no valid key. Open the form again.")
        }
        do {
            let shown = values["shown"] ?? ""
            guard values["step"] == "do", !shown.isEmpty else {
                return try await self.preview(action, values, key, visit)
            }
            do {
                let call = try ActionCall(action, values, key: key, in: visit.zone)
                let answer = try await visit.interface.perform(call, confirming: shown)
                return self.page(call, values, answer, visit, isDone: true)
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
                ActionForm(action, values, key: key, visit, error: error)
            )
        }
    }

    /// Runs the action as a dry run and renders the preview.
    ///
    /// If the form's key was used before, renders that result.
    private func preview(
        _ action: ActionDescription,
        _ values: [String: String],
        _ key: String,
        _ visit: Visit,
        _ notice: String? = nil
    ) async throws -> String {
        let call = try ActionCall(action, values, key: key, in: visit.zone)
        let answer = try await visit.interface.perform(call)
        guard answer["preview"]?.text == nil else { return self.page(call, values, answer, visit, notice: notice) }
        return self.page(call, values, answer, visit, notice: "This form was already sent.", isDone: true)
    }

    private func page(
        _ call: ActionCall,
        _ values: [String: String],
        _ answer: JSONValue,
        _ visit: Visit,
        notice: String? = nil,
        isDone: Bool = false
    ) -> String {
        let preview = ActionPreview(
            call,
            values,
            answer,
            apiURL: self.apiURL,
            visit,
            notice: notice,
            isDone: isDone
        )
        return self.templates.draw("preview", preview)
    }
}

/// An action with the values of its form, as the body of a request to its route.
struct ActionCall: Sendable {
    let action: ActionDescription
    let environment: WalletEnvironment?
    let body: JSONValue
    /// The form's values; times are instants in UTC.
    let values: [String: String]
    /// The form's idempotency key; a form that is sent twice takes effect once.
    let key: String

    /// Reads a form.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - values: The fields by name.
    ///   - key: The form's idempotency key.
    ///   - zone: The studio's time zone, in which the form has times.
    /// - Throws: ``ConsoleProblem`` for a required field that is empty or a value that cannot be parsed.
    init(_ action: ActionDescription, _ values: [String: String], key: String, in zone: StudioTimeZone) throws {
        var body = JSONValue.object(action.fixed)
        var values = values
        for field in action.fields where field.kind == .instant {
            values[field.name] = try field.instant(in: values, zone)
        }
        for field in action.fields {
            let text = values[field.name] ?? ""
            guard !text.isEmpty else {
                if field.isRequired { throw ConsoleProblem(status: 422, title: "\(field.label) is missing.") }
                continue
            }
            if let path = field.path { body.set(try field.value(text), at: path[...]) }
        }
        let hasReference = action.isAdjustment || (action.isCompensation && body["reference"] == nil)
        if hasReference { body.set(.text(key), at: ["reference"]) }
        if action.refusesExisting, values["known"] != "true" { body.set(.bool(true), at: ["is_new"]) }
        self.action = action
        self.environment = values["environment"].flatMap(WalletEnvironment.init)
        self.body = body
        self.values = values
        self.key = key
    }

    /// Returns a curl command that does the same through the API.
    func curl(to apiURL: String) -> String {
        var parts = ["curl -X POST \(Self.quoted("\(apiURL)/operator/\(self.action.route)"))"]
        parts.append("-H \"Authorization: Bearer $OPERATOR_TOKEN\"")
        parts.append("-H \(Self.quoted("Idempotency-Key: \(self.key)"))")
        if let environment = self.environment {
            parts.append("-H \(Self.quoted("Wallet-Environment: \(environment.rawValue)"))")
        }
        parts.append("-H 'Content-Type: application/json'")
        parts.append("-d \(Self.quoted(self.body.jsonText))")
        return parts.joined(separator: " \\\n  ")
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

extension ActionDescription {
    /// Joins the checkboxes of a field to one value, as texts separated by commas.
    fileprivate func joined(_ values: [String: String]) -> [String: String] {
        var values = values
        for field in self.fields {
            guard case .several(let options) = field.kind else { continue }
            let chosen = options.filter { values.removeValue(forKey: "\(field.name).\($0)") != nil }
            if !chosen.isEmpty { values[field.name] = chosen.joined(separator: ", ") }
        }
        return values
    }
}

extension ActionDescription.Field {
    /// The name of the hidden field with the object's own instant.
    fileprivate var originalName: String { "\(self.name)_original" }

    /// The field's label; that of a time names the studio's time zone.
    fileprivate func label(in zone: StudioTimeZone) -> String {
        self.kind == .instant ? "\(self.label) (\(zone.name))" : self.label
    }

    /// Returns the instant of a time field in UTC; empty if the field is empty.
    ///
    /// If the time is that of the existing object, its instant stays: the same time may occur twice.
    fileprivate func instant(in values: [String: String], _ zone: StudioTimeZone) throws -> String {
        guard let text = values[self.name], !text.isEmpty else { return "" }
        guard let instant = zone.instant(text) else {
            throw ConsoleProblem(
                status: 422,
                title: "\(self.label) must be a time that exists in \(zone.name).",
                detail: "When clocks are set forward, an hour is skipped."
            )
        }
        if let original = values[self.originalName].flatMap(zone.instant),
            zone.fieldText(original) == zone.fieldText(instant)
        {
            return WireJSON.text(original)
        }
        return WireJSON.text(instant)
    }

    /// Returns the field's text for an existing value.
    fileprivate func filled(with value: JSONValue, in zone: StudioTimeZone) -> String {
        switch (self.kind, value) {
        case (.instant, .text(let text)): zone.instant(text).map(zone.fieldText) ?? ""
        case (.money, .number(let number)): Self.amount(ofHundredths: (number as NSDecimalNumber).int64Value)
        case (.choice, .bool(let flag)): flag ? "true" : "false"
        case (.time, .text(let text)): String(text.prefix(5))
        case (.texts, .array(let items)), (.days, .array(let items)), (.several, .array(let items)):
            items.compactMap(\.text).joined(separator: ", ")
        case (.bundle, .array(let items)): Self.bundleText(items)
        default: value.shown
        }
    }

    /// Returns the member of the request body for the field's text.
    fileprivate func value(_ text: String) throws -> JSONValue {
        switch self.kind {
        case .choice where ["true", "false"].contains(text): return .bool(text == "true")
        case .integer: return .number(Decimal(try self.whole(text)))
        case .money:
            guard let hundredths = Self.hundredths(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be an amount such as 12.50.")
            }
            return .number(Decimal(hundredths) / 100)
        case .givenNumber: return Int64(text).map { .number(Decimal($0)) } ?? .text(text)
        case .texts, .days, .several: return .array(Self.texts(text).map { .text($0) })
        case .bundle:
            guard let items = Self.bundle(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be lots such as 3 visit 30; 5 credit.")
            }
            return items
        case .text, .lines, .given, .choice, .instant, .day, .time: return .text(text)
        }
    }

    private func whole(_ text: String) throws -> Int64 {
        guard let number = Int64(text) else {
            throw ConsoleProblem(status: 422, title: "\(self.label) must be a whole number.")
        }
        return number
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
        /// The explanation of the field; nil for none.
        let hint: String?
        /// A stored property, because templates access only stored properties.
        let isChoice: Bool
        /// A Boolean value that indicates whether the field is a text of several lines.
        let isLines: Bool
        /// A Boolean value that indicates whether several options may be chosen.
        let isSeveral: Bool
        /// A Boolean value that indicates whether the operator types here first.
        var isFirst = false
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
    /// A Boolean value that indicates whether every shown field has a value, so that the form can be sent as it is.
    let isReady: Bool
    /// The instants of an existing object, which the form sends back.
    let originals: [ActionPreview.Value]
    /// The fields with default values, which are shown on request.
    let more: [Input]
    let hasMore: Bool
    /// A Boolean value that indicates whether one of the fields with default values has a value.
    let isMoreOpen: Bool
    let key: String
    /// The names of the values that the linking page provided.
    let given: String
    let formToken: String
    let error: String?
    let back: String?
    /// A Boolean value that indicates whether the form changes an existing object.
    let isKnown: Bool

    init(_ action: ActionDescription, _ values: [String: String], key: String, _ visit: Visit, error: String? = nil) {
        self.title = action.title
        self.about = action.about
        self.address = WebAddress.page("actions/\(action.name)")
        self.key = key
        self.formToken = visit.formToken
        self.error = error
        self.back = ActionLinks.page(of: values)
        self.isKnown = values["known"] == "true"
        self.given = values["given"] ?? ""
        let given = Set(self.given.split(separator: ",").map(String.init))
        func inputs(_ fields: [ActionDescription.Field]) -> [Input] {
            fields.map { Input($0, values[$0.name] ?? "", visit.zone, isGiven: given.contains($0.name)) }
        }
        var main = inputs(action.fields.filter { !$0.isMore })
        // The first field without a value; choices have a value already.
        let first = main.firstIndex { !$0.isGiven && !$0.isChoice && !$0.isSeveral && $0.value.isEmpty }
        if let first { main[first].isFirst = true }
        self.inputs = main
        self.isReady = first == nil
        self.more = inputs(action.fields.filter(\.isMore))
        self.hasMore = !self.more.isEmpty
        self.isMoreOpen = self.more.contains { !$0.value.isEmpty && !$0.isGiven }
        self.originals = action.fields.compactMap { field in
            values[field.originalName].map { ActionPreview.Value(name: field.originalName, value: $0) }
        }
    }
}

extension ActionForm.Input {
    fileprivate init(_ field: ActionDescription.Field, _ value: String, _ zone: StudioTimeZone, isGiven: Bool) {
        self.name = field.name
        self.label = field.label(in: zone)
        self.value = value
        self.isRequired = field.isRequired
        switch field.kind {
        // With a step of one second, the field keeps the seconds of an existing instant.
        case .instant: self.step = "1"
        case .money: self.step = "0.01"
        default: self.step = nil
        }
        self.isGiven = isGiven && [.given, .givenNumber].contains(field.kind) && !value.isEmpty
        self.hint = field.hint
        switch field.kind {
        case .choice(let choices):
            self.options = choices.map { ActionForm.Option(value: $0, isChosen: $0 == value) }
            self.type = ""
        case .several(let choices):
            let chosen = ActionDescription.Field.texts(value)
            self.options = choices.map { ActionForm.Option(value: $0, isChosen: chosen.contains($0)) }
            self.type = ""
        case .integer, .money:
            self.options = []
            self.type = "number"
        case .instant:
            self.options = []
            self.type = "datetime-local"
        case .day:
            self.options = []
            self.type = "date"
        case .time:
            self.options = []
            self.type = "time"
        case .text, .texts, .lines, .days, .bundle, .given, .givenNumber:
            self.options = []
            self.type = "text"
        }
        if case .several = field.kind { self.isSeveral = true } else { self.isSeveral = false }
        self.isChoice = !self.options.isEmpty && !self.isSeveral
        self.isLines = field.kind == .lines
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
    let hasChanges: Bool
    /// The numbers of classes and bookings that the action affects, and what returns to their users.
    let effects: [Value]
    let hasEffects: Bool
    /// The page with the affected bookings; nil if there is none.
    let affected: String?
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
    /// The label of the link on the page of a completed action.
    let backLabel: String

    init(
        _ call: ActionCall,
        _ values: [String: String],
        _ answer: JSONValue,
        apiURL: String,
        _ visit: Visit,
        notice: String? = nil,
        isDone: Bool = false
    ) {
        let action = call.action
        self.effects = action.countsEffects ? Self.effects(of: answer) : []
        self.hasEffects = !self.effects.isEmpty
        let names = Set(action.countsEffects ? Self.effectLabels.map(\.0) : [])
        self.changes = [Change](answer, in: visit.zone).filter { !names.contains($0.name) }
        self.hasChanges = !self.changes.isEmpty
        let series = values["series_id"] ?? ""
        self.affected =
            action.countsEffects && !series.isEmpty
            ? WebAddress.page("list/series-bookings", ["series_id": series]) : nil
        self.title = isDone ? Self.result(of: action, answer, self.changes) : action.title
        self.changesNothing = self.changes.isEmpty && self.effects.isEmpty
        self.address = WebAddress.page("actions/\(action.name)")
        self.values = values.filter { !["form_token", "step", "shown", "given"].contains($0.key) }
            .sorted { $0.key < $1.key }.map { Value(name: $0.key, value: $0.value) }
        self.sent = action.fields.compactMap { field in
            guard let value = call.values[field.name], !value.isEmpty else { return nil }
            let shown = field.kind == .instant ? visit.zone.instant(value).map(visit.zone.text) ?? value : value
            return Value(name: field.label(in: visit.zone), value: shown)
        }
        self.formToken = visit.formToken
        self.curl = call.curl(to: apiURL)
        self.sql = action.psql(call.values, key: call.key)
        self.shown = answer["preview"]?.text ?? ""
        self.notice = notice
        self.audit = isDone && answer["audit_id"]?.number != nil ? WebAddress.page("list/audit") : nil
        self.isDone = isDone
        // A new object has its id in the answer.
        let made = ["class_id", "series_id"].compactMap { name in answer["after"]?[name]?.text.map { (name, $0) } }
        let next = ActionLinks.next(after: action, isDone ? values.merging(made) { $0.isEmpty ? $1 : $0 } : values)
        self.back = next?.address
        self.backLabel = next?.label ?? ""
    }

    /// The numbers that actions on classes count, with their labels in the order of the page.
    private static let effectLabels = [
        ("created", "Classes created"), ("changed", "Classes changed"), ("moved", "Booked classes moved"),
        ("kept", "Classes kept, because they were changed on their own"), ("cancelled", "Classes cancelled"),
        ("bookings", "Bookings that return everything"), ("credits", "Credits that return"),
        ("visits", "Visits that return"), ("waiting", "Users removed from waitlists"),
    ]

    /// Returns the numbers of an answer that count classes, bookings and amounts, without most zeros.
    private static func effects(of answer: JSONValue) -> [Value] {
        effectLabels.compactMap { name, label in
            guard let count = answer["after"]?[name]?.shown, !count.isEmpty else { return nil }
            return count == "0" && name != "bookings" ? nil : Value(name: label, value: count)
        }
    }

    /// Returns the heading of a completed action, such as "Balance updated: 35 → 40 credits".
    private static func result(of action: ActionDescription, _ answer: JSONValue, _ changes: [Change]) -> String {
        if action.isCompensation, let users = answer["users"]?.shown, let total = answer["total"]?.shown {
            return "\(action.result): \(users) users, \(total) \(answer["unit"]?.text ?? "")s"
        }
        let isComplete = !changes.isEmpty && changes.allSatisfy { !$0.before.isEmpty }
        guard answer["balance"] != nil, isComplete else { return action.result }
        let balances = changes.map { "\($0.before) → \($0.after) \($0.name)" }
        return "\(action.result): \(balances.joined(separator: ", "))"
    }
}

extension [ActionPreview.Change] {
    /// Compares the response's members before and after the action; for an adjustment, compares the wallet's balance,
    /// and for a compensation the balance of each user.
    init(_ answer: JSONValue, in zone: StudioTimeZone) {
        if let lines = answer["lines"]?.items {
            self = [ActionPreview.Change(total: answer)] + lines.map(ActionPreview.Change.init(line:))
            return
        }
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
                name: name.replacing("_minor", with: "").replacing("_", with: " "),
                before: Self.text(of: name, before[name], in: zone),
                after: Self.text(of: name, after[name], in: zone)
            )
        }
    }

    /// Returns a value's text; hundredths of a price are shown in the currency's unit.
    private static func text(of name: String, _ value: JSONValue?, in zone: StudioTimeZone) -> String {
        if name.hasSuffix("_minor"), let number = value?.number {
            return ActionDescription.Field.amount(ofHundredths: (number as NSDecimalNumber).int64Value)
        }
        return value?.shown(of: name, in: zone) ?? ""
    }
}

extension ActionPreview.Change {
    /// The totals of a compensation.
    fileprivate init(total answer: JSONValue) {
        let refused = answer["refused"]?.shown ?? "0"
        self.name = "\(answer["users"]?.shown ?? "0") users" + (refused == "0" ? "" : ", \(refused) refused")
        self.before = ""
        self.after = "+ \(answer["total"]?.shown ?? "0") \(answer["unit"]?.text ?? "")s"
    }

    /// The result of a compensation for one user.
    fileprivate init(line: JSONValue) {
        self.name = line["user_id"]?.text ?? "deleted user"
        self.before = line["before"]?.shown ?? ""
        self.after =
            switch line["result"]?.text {
            case "refused": "refused: \((line["reason"]?.text ?? "").replacing("-", with: " "))"
            case "already_added": "added before"
            default: line["after"]?.shown ?? ""
            }
    }
}
