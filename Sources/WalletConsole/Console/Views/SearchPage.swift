import JSON
import Wallet

/// The values of the page with the results of a search.
struct SearchPage: Sendable {
    let searched: String
    let hits: Table
    /// The page of the only result; nil if there are several or none.
    let only: String?

    init(_ visit: Visit) async throws {
        self.searched = visit.query("text")
        let rows = try await visit.interface.search(self.searched, limit: 50).map(Self.linked)
        self.only = rows.count == 1 ? rows[0]["page"]?.text : nil
        let columns = ["kind", "user_id", "summary", "at", "environment", "id"]
        self.hits = Table(rows, columns, empty: "No results. Check the spelling.", in: visit.zone) { row in
            row["page"]?.text.map { [Link(label: "Open", address: $0)] } ?? []
        }
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
}
