import Foundation
import JSON
import Wallet

/// The values of the start page: the results of a search, or the overview of open issues.
struct HomePage: Sendable {
    /// A status on the overview, good or bad.
    struct Sign: Sendable {
        let label: String
        let state: String
        let isBad: Bool
        let address: String
    }

    let title: String
    let searched: String
    let hits: Table
    let isSearch: Bool
    let signs: [Sign]

    init(_ visit: Visit) async throws {
        let text = visit.query("text")
        self.searched = text
        self.isSearch = !text.isEmpty
        self.title = text.isEmpty ? "Overview" : "Search"
        let found = text.isEmpty ? [] : try await visit.interface.search(text, limit: 50)
        let rows = found.map(Self.linked)
        let columns = ["kind", "id", "user_id", "environment", "at", "summary"]
        self.hits = Table(rows, columns, empty: "No results. Check the spelling.", in: visit.zone) { row in
            row["page"]?.text.map { [Link(label: "Open", address: $0)] } ?? []
        }
        self.signs = text.isEmpty ? try await Self.signs(visit.interface) : []
    }

    /// Adds the address of the page that shows a hit.
    private static func linked(_ hit: JSONValue) -> JSONValue {
        var row = hit.members ?? [:]
        switch (hit["kind"]?.text, hit["user_id"]?.text) {
        case ("class", _): row["page"] = .text(WebAddress.page("class", ["class_id": hit["id"]?.text ?? ""]))
        case (_, let user?): row["page"] = .text(WebAddress.page("user", ["user_id": user]))
        case ("action", nil): row["page"] = .text(WebAddress.page("list/audit"))
        default: break
        }
        return .object(row)
    }

    private static func signs(_ api: OperatorInterface) async throws -> [Sign] {
        let invariants = try await api.rows(of: .invariants, limit: 100).items
        let broken = invariants.filter { $0["violations"]?.number != 0 }
        return [
            Sign(
                label: "Books",
                state: broken.isEmpty ? "\(invariants.count) invariants hold" : "\(broken.count) invariants violated",
                isBad: !broken.isEmpty,
                address: WebAddress.page("health")
            ),
            try await Self.sign("Inbox", "quarantined", .messages, ["status": "quarantined"], api),
            try await Self.sign("Events", "given up", .undelivered, ["status": "dead"], api),
            try await Self.sign("Flags", "open", .flags, ["open": "true"], api),
        ]
    }

    /// Returns a status from the number of rows in a list, up to 100.
    private static func sign(
        _ label: String,
        _ state: String,
        _ list: OperatorList,
        _ filter: [String: String],
        _ api: OperatorInterface
    ) async throws -> Sign {
        let rows = try await api.rows(of: list, filter, limit: 100)
        let count = rows.items.count
        let more = rows.next == nil ? "" : " or more"
        return Sign(
            label: label,
            state: count == 0 ? "none \(state)" : "\(count)\(more) \(state)",
            isBad: count > 0,
            address: WebAddress.page("list/\(list.path)", filter)
        )
    }
}
