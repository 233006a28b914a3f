import Foundation
import JSON
import Mustache
import Wallet

/// A table, as its template renders it.
struct Table: Sendable {
    /// The head of a column.
    struct Head: Sendable {
        let label: String
        let isNumber: Bool
    }

    /// One row.
    struct Row: Sendable {
        let cells: [Cell]
        let actions: [Link]
        var hasActions: Bool { !self.actions.isEmpty }
    }

    let heads: [Head]
    let rows: [Row]
    let hasActions: Bool
    /// A Boolean value that indicates whether a row has so many actions that they need a wide column.
    let hasManyActions: Bool
    /// A stored property, because templates access only stored properties.
    let isEmpty: Bool
    /// The text that replaces a table without rows.
    let emptyText: String

    /// Creates a table from the rows of a response.
    ///
    /// Columns without any value are left out, and so are columns that only report the usual: an amount's unit follows
    /// the amount, and the environment is shown only where it differs between rows.
    ///
    /// - Parameters:
    ///   - rows: The rows, as objects.
    ///   - names: The members to show, in order.
    ///   - empty: The text to show if there are no rows.
    ///   - zone: The studio's time zone, in which times are shown.
    ///   - actions: A closure that returns the links for the actions on a row.
    init(
        _ rows: [JSONValue],
        _ names: [String],
        empty: String,
        in zone: StudioTimeZone,
        actions: (JSONValue) -> [Link] = { _ in [] }
    ) {
        let hasAmount = names.contains("amount") || names.contains("balance_after")
        let names = names.filter { name in
            if name == "unit", hasAmount { return false }
            let usual = Self.usual[name] ?? []
            return rows.contains { row in
                let text = row[name]?.shown ?? ""
                return !text.isEmpty && !usual.contains(text)
            }
        }
        let laidOut = rows.map { row in
            Row(cells: names.map { Cell(of: $0, in: row, zone, withUnit: hasAmount) }, actions: actions(row))
        }
        // A phone shows a row as a card; the user or the class is its title.
        let title = names.indices.first { place in laidOut.contains { $0.cells[place].link != nil } } ?? 0
        self.heads = names.enumerated().map { place, name in
            Head(label: Self.label(of: name), isNumber: laidOut.contains { $0.cells[place].isNumber })
        }
        self.rows = laidOut.map { row in
            var cells = row.cells
            if cells.indices.contains(title) { cells[title].isTitle = true }
            return Row(cells: cells, actions: row.actions)
        }
        self.isEmpty = laidOut.isEmpty
        self.emptyText = empty
        self.hasActions = laidOut.contains(where: \.hasActions)
        self.hasManyActions = laidOut.contains { $0.actions.count > 2 }
    }

    /// The values that say nothing if all rows of a column have them.
    private static let usual: [String: Set<String>] = [
        "environment": ["production"], "status": ["scheduled"], "fee": ["0"], "strike": ["no"], "returned": ["0"],
        "seats_held": ["0"],
        "lapsed": ["0"], "refunded": ["0"], "owed": ["0"], "repaid": ["0"], "is_anonymous": ["no"],
        "is_blocked": ["no"], "is_tester": ["no"], "released": ["no"], "bonus": ["0"],
    ]

    /// Returns the heading of a column, or the label of a filter.
    static func label(of name: String) -> String {
        if let label = Self.labels[name] { return label }
        let words = (name.hasSuffix("_at") ? String(name.dropLast(3)) : name).replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The headings that differ from the column's name.
    private static let labels = [
        "at": "Time", "fact": "What happened", "balance_after": "Balance", "user_id": "User", "class_title": "Class",
        "class_id": "Class id", "capacity": "Seats", "seats_sold": "Sold", "seats_held": "Held",
        "price_credits": "Credits", "price_visits": "Visits", "start_time": "Start", "from_date": "From",
        "ends_on": "Last day", "next_starts_at": "Next class", "on_date": "Day", "created_at": "Created",
        "received_at": "Received", "is_active": "For sale", "is_anonymous": "Anonymous", "is_blocked": "Blocked",
        "is_tester": "Tester", "will_renew": "Renews", "current_period_end": "Paid until",
        "period_end": "Paid until", "free_minutes_before": "Free cancellation (minutes before)",
        "app_store_id": "App Store id", "play_store_id": "Google Play id", "revenuecat_id": "RevenueCat id",
        "no_shows": "No-shows", "q": "Name, email or id", "kind": "Kind", "open": "Open (true or false)",
    ]
}

/// A value in a table, as its template renders it.
struct Cell: Sendable {
    let text: String
    /// The id below a name.
    var detail: String?
    var link: String?
    /// The exact instant in UTC, if the value is one.
    var instant: String?
    /// The heading of the column, which narrow screens show beside the value.
    var label: String
    /// A Boolean value that indicates whether the value is the title of its row.
    var isTitle = false
    let isNumber: Bool
    /// A Boolean value that indicates whether the text stays on one line, such as a state or a date; longer texts wrap.
    let isShort: Bool

    init(_ text: String, link: String? = nil, isNumber: Bool = false, label: String = "") {
        self.text = text
        self.link = link
        self.label = label
        self.isNumber = isNumber
        self.isShort = Self.isShort(text)
    }

    /// Creates the cell for a member of a row.
    ///
    /// - Parameters:
    ///   - name: The member's name. A user links to the user's page, and the name comes before the id; a class's title
    ///     or id links to the class.
    ///   - row: The row.
    ///   - zone: The studio's time zone, in which times are shown.
    ///   - withUnit: A Boolean value that indicates whether amounts are followed by the row's unit.
    init(of name: String, in row: JSONValue, _ zone: StudioTimeZone, withUnit: Bool = false) {
        let value = row[name]
        let id = value?.shown ?? ""
        var text = value?.shown(of: name, in: zone) ?? ""
        if withUnit, ["amount", "returned", "balance_after"].contains(name), let unit = row["unit"]?.text, id != "" {
            text += " \(unit)\(id == "1" || id == "-1" ? "" : "s")"
        }
        let user = name == "user_id" ? row["user_name"]?.text ?? row["name"]?.text : nil
        self.text = user ?? Self.worded(text, of: name)
        self.detail = user.map { _ in id }
        self.instant = text == id || value?.text == nil ? nil : id
        self.label = Table.label(of: name)
        self.isNumber = value?.number != nil || row.isMoney(name)
        self.isShort = Self.isShort(self.text)
        switch name {
        case "user_id" where !id.isEmpty: self.link = WebAddress.page("user", ["user_id": id])
        case "class_id" where !id.isEmpty: self.link = WebAddress.page("class", ["class_id": id])
        case "title", "class_title":
            self.link = row["class_id"]?.text.map { WebAddress.page("class", ["class_id": $0]) }
        default: self.link = nil
        }
    }

    /// The classes of the cell in the style sheet; nil for none.
    fileprivate var look: String? {
        let looks = [self.isTitle ? "title" : nil, self.isNumber ? "number" : self.isShort ? "short" : nil]
        return looks.contains { $0 != nil } ? looks.compactMap { $0 }.joined(separator: " ") : nil
    }

    /// Returns a state in words, such as "no-show" for `no_show`.
    private static func worded(_ text: String, of name: String) -> String {
        switch (name, text) {
        case ("store", "app_store"): "App Store"
        case ("store", "play_store"): "Google Play"
        case ("attendance", "no_show"): "no-show"
        case ("status", _), ("attendance", _), ("source", _), ("cancelled_by", _), ("resolution", _):
            text.replacing("_", with: " ")
        default: text
        }
    }

    private static func isShort(_ text: String) -> Bool {
        text.utf8.count <= 23
    }
}

extension JSONValue {
    /// Returns the value's text on a page, with times in the studio's time zone.
    ///
    /// - Parameters:
    ///   - name: The member's name; `at` and names that end in `_at`, `_start`, `_end` or `_until` are instants.
    ///   - zone: The studio's time zone.
    /// - Returns: The text.
    func shown(of name: String, in zone: StudioTimeZone) -> String {
        switch self {
        case .text(let text):
            let isInstant = name == "at" || ["_at", "_start", "_end", "_until"].contains { name.hasSuffix($0) }
            return (isInstant ? zone.instant(text).map(zone.text) : nil) ?? text
        case .array(let items): return items.map { $0.shown(of: name, in: zone) }.joined(separator: "; ")
        case .object(let members):
            return members.filter { $0.value != .null }.sorted { $0.key < $1.key }
                .map { "\($0.key.replacing("_", with: " ")) \($0.value.shown(of: $0.key, in: zone))" }
                .joined(separator: ", ")
        default: return self.shown
        }
    }

    /// Returns whether a member of a row is an amount of money, which has a member with the hundredths beside it.
    fileprivate func isMoney(_ name: String) -> Bool {
        self["\(name.replacing("_value", with: ""))_minor"] != nil
    }
}

/// A link, as its template renders it.
struct Link: Sendable {
    let label: String
    let address: String
    var isCurrent = false
    /// The key that follows the link; nil for none.
    var key: String?
}

// A table has thousands of these values. With `MustacheParent`, a template finds a member by a string comparison
// instead of reflection, which took most of a page's rendering time.

extension Cell: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "text": self.text
        case "detail": self.detail.map { $0 as Any }
        case "link": self.link.map { $0 as Any }
        case "instant": self.instant.map { $0 as Any }
        case "label": self.label
        case "look": self.look.map { $0 as Any }
        default: nil
        }
    }
}

extension Table.Row: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "cells": self.cells
        case "actions": self.actions
        default: nil
        }
    }
}

extension Link: MustacheParent {
    func child(named name: String) -> Any? {
        switch name {
        case "label": self.label
        case "address": self.address
        case "isCurrent": self.isCurrent
        case "key": self.key.map { $0 as Any }
        default: nil
        }
    }
}
