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
    ///   - actions: A closure that returns the links for the actions on a row.
    init(_ rows: [JSONValue], _ names: [String], empty: String, actions: (JSONValue) -> [Link] = { _ in [] }) {
        let laidOut = rows.map { row in Row(cells: names.map { Cell(row[$0], of: $0) }, actions: actions(row)) }
        self.heads = names.enumerated().map { place, name in
            let label = name.replacing("_", with: " ")
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
    var link: String?
    /// The exact instant, if the value is one; a script converts it to the viewer's zone.
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

    /// Creates the cell for a member of a response.
    ///
    /// - Parameters:
    ///   - value: The value; nil and null give an empty cell.
    ///   - name: The member's name. `user_id` and `class_id` link to their pages; `at` and names that end in `_at` or
    ///     `_end` are instants.
    init(_ value: JSONValue?, of name: String) {
        let text = value?.shown ?? ""
        let isInstant = !text.isEmpty && (name == "at" || name.hasSuffix("_at") || name.hasSuffix("_end"))
        self.text = isInstant ? String(text.prefix(16)).replacing("T", with: " ") + " UTC" : text
        self.instant = isInstant ? text : nil
        self.isNumber = value?.number != nil
        self.isShort = Self.isShort(text)
        switch name {
        case "user_id" where !text.isEmpty: self.link = WebAddress.page("user", ["user_id": text])
        case "class_id" where !text.isEmpty: self.link = WebAddress.page("class", ["class_id": text])
        default: self.link = nil
        }
    }

    private static func isShort(_ text: String) -> Bool {
        text.utf8.count <= 20
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
