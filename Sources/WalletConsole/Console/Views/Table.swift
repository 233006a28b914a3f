import Wallet

/// A table as a template shows it.
struct Table: Sendable {
    /// One column's head.
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
    /// Stored: templates see stored properties only.
    let isEmpty: Bool

    /// Lays rows of an answer out.
    ///
    /// - Parameters:
    ///   - rows: The rows, as objects.
    ///   - names: Which members, in which order.
    ///   - actions: What can be done to a row.
    init(_ rows: [JSONValue], _ names: [String], actions: (JSONValue) -> [Link] = { _ in [] }) {
        let laidOut = rows.map { row in Row(cells: names.map { Cell(row[$0], of: $0) }, actions: actions(row)) }
        self.heads = names.enumerated().map { place, name in
            let label = name.replacing("_", with: " ")
            return Head(label: label, isNumber: laidOut.contains { $0.cells[place].isNumber })
        }
        self.rows = laidOut
        self.isEmpty = laidOut.isEmpty
        self.hasActions = laidOut.contains(where: \.hasActions)
    }
}
