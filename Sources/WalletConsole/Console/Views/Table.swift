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
