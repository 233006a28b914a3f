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
    /// A stored property, because templates access only stored properties.
    let isEmpty: Bool
    /// The text that replaces a table without rows.
    let emptyText: String

    /// Creates a table from the rows of a response.
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
        let laidOut = rows.map { row in
            Row(cells: names.map { Cell(of: $0, in: row, zone) }, actions: actions(row))
        }
        self.heads = names.enumerated().map { place, name in
            let label = name == "user_id" ? "user" : name.replacing("_", with: " ")
            return Head(label: label, isNumber: laidOut.contains { $0.cells[place].isNumber })
        }
        self.rows = laidOut
        self.isEmpty = laidOut.isEmpty
        self.emptyText = empty
        self.hasActions = laidOut.contains(where: \.hasActions)
    }
}

/// A value in a table, as its template renders it.
struct Cell: Sendable {
    let text: String
    /// The id beside a name.
    var detail: String?
    var link: String?
    /// The exact instant in UTC, if the value is one.
    var instant: String?
    let isNumber: Bool
    /// A Boolean value that indicates whether the text stays on one line, such as a state or a date; longer texts wrap.
    let isShort: Bool

    init(_ text: String, link: String? = nil, isNumber: Bool = false) {
        self.text = text
        self.link = link
        self.isNumber = isNumber
        self.isShort = Self.isShort(text)
    }

    /// Creates the cell for a member of a row.
    ///
    /// - Parameters:
    ///   - name: The member's name. `user_id` and `class_id` link to their pages, and a user's name comes before the id.
    ///   - row: The row.
    ///   - zone: The studio's time zone, in which times are shown.
    init(of name: String, in row: JSONValue, _ zone: StudioTimeZone) {
        let value = row[name]
        let id = value?.shown ?? ""
        let text = value?.shown(of: name, in: zone) ?? ""
        let user = name == "user_id" ? row["user_name"]?.text ?? row["name"]?.text : nil
        self.text = user ?? text
        self.detail = user.map { _ in id }
        self.instant = text == id || value?.text == nil ? nil : id
        self.isNumber = value?.number != nil || row.isMoney(name)
        self.isShort = Self.isShort(text)
        switch name {
        case "user_id" where !id.isEmpty: self.link = WebAddress.page("user", ["user_id": id])
        case "class_id" where !id.isEmpty: self.link = WebAddress.page("class", ["class_id": id])
        default: self.link = nil
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
        case "isNumber": self.isNumber
        case "isShort": self.isShort
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
        default: nil
        }
    }
}
