import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Wallet

extension OperatorConsole {
    /// Adds the page of each list, which also returns the list as a CSV file.
    func addLists(to group: some RouterMethods<Context>) {
        for list in OperatorList.all where !["lots", "roster", "waitlist"].contains(list.name) {
            let path = "list/\(list.path)"
            group.get("console/\(path)") { request, context in
                try await self.visit(request, context) { visit in
                    var asked = visit.queries
                    guard asked["format"] != "csv" else { return try await Self.csv(list, visit) }
                    asked["limit"] = "50"
                    let page = ListPage(list, try await visit.interface.get(list.route, asked), visit)
                    return try self.response(page.title, self.templates.draw("list", page), at: path, visit)
                }
            }
        }
    }

    /// Streams a whole list as one file, page after page, as fast as the browser reads it.
    ///
    /// If a page cannot be read, the connection ends, so that the browser reports a broken download.
    private static func csv(_ list: OperatorList, _ visit: Visit) async throws -> Response {
        let filters = visit.queries.filter { list.filterNames.contains($0.key) }
        let asked = filters.merging(["format": "csv", "limit": "100"]) { $1 }
        let first = try await visit.interface.send(OperatorCall(.get, list.route, query: asked))
        var headers = first.response.headers
        headers[.contentLength] = nil
        HTTPField.Name("Link").map { headers[$0] = nil }
        let body = ResponseBody { writer in
            var (response, rows) = first
            try await writer.write(rows)
            while let cursor = Self.nextCursor(of: response) {
                let query = asked.merging(["cursor": cursor]) { $1 }
                (response, rows) = try await visit.interface.send(OperatorCall(.get, list.route, query: query))
                // The first page already contains the names of the columns.
                if let end = rows.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                    rows.moveReaderIndex(to: end + 1)
                }
                try await writer.write(rows)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Returns the cursor from the `Link` to the next page; nil on the last page.
    private static func nextCursor(of response: Response) -> String? {
        guard
            let link = response.headers.value(of: "Link"), link.hasSuffix("rel=\"next\""),
            let query = link.firstIndex(of: "?"), let end = link.firstIndex(of: ">"), query < end
        else { return nil }
        return FormText(String(link[link.index(after: query)..<end])).values["cursor"]
    }
}

/// The values of a list's page: filters, rows, and the links to the next page and to the CSV file.
struct ListPage: Sendable {
    /// One filter of the form.
    struct Filter: Sendable {
        let name: String
        let label: String
        let value: String
    }

    let title: String
    let about: String
    let path: String
    let filters: [Filter]
    let hasFilters: Bool
    let table: Table
    let csv: String
    let next: String?
    let links: [Link]

    /// The texts of a list's page and the members that it shows.
    struct Description: Sendable {
        let title: String
        /// The text for a list without rows, if no filter is set.
        let empty: String
        let about: String
        let columns: [String]
        var links: [Link] = []
    }

    /// Creates the page's values from a response.
    init(_ list: OperatorList, _ answer: JSONValue, _ visit: Visit) {
        let described = list.described
        let asked = visit.queries
        let path = "list/\(list.path)"
        self.title = described.title
        self.about = described.about
        self.links = described.links + ConsoleAction.links(above: list, right: visit.session.owner.right)
        self.path = WebAddress.page(path)
        self.filters = list.filterNames.map { name in
            Filter(name: name, label: name.replacing("_", with: " "), value: asked[name] ?? "")
        }
        self.hasFilters = !self.filters.isEmpty
        let filters = asked.filter { list.filterNames.contains($0.key) && !$0.value.isEmpty }
        let empty = filters.isEmpty ? described.empty : "No rows match this filter"
        self.table = Table(answer[list.name]?.items ?? [], described.columns, empty: empty) { row in
            ConsoleAction.links(in: list, for: row, right: visit.session.owner.right)
        }
        self.csv = WebAddress.page(path, filters.merging(["format": "csv"]) { $1 })
        self.next = answer["next_cursor"]?.text.map { WebAddress.page(path, filters.merging(["cursor": $0]) { $1 }) }
    }
}

extension OperatorList {
    /// The texts and columns of the list's page.
    var described: ListPage.Description {
        let all = self.columns.map(\.name)
        switch self.name {
        case "audit":
            return .init(
                title: "Audit",
                empty: "No actions yet",
                about: "All actions of operators and administrators. These records cannot be changed.",
                columns: ["at", "actor", "action", "user_id", "object_id", "reason", "before", "after", "reference"]
            )
        case "messages":
            return .init(
                title: "Inbox",
                empty: "No store messages yet",
                about: "Messages of the stores. Quarantined messages need an operator. Failed messages are retried; "
                    + "messages with the status awaiting_user wait for their user.",
                columns: [
                    "received_at", "source", "type", "status", "reason", "attempts", "next_attempt_at", "inbox_id",
                ],
                links: ["new", "failed", "awaiting_user", "quarantined"].map {
                    Link(label: $0, address: WebAddress.page("list/messages", ["status": $0]))
                }
            )
        case "events":
            return .init(
                title: "Events",
                empty: "No events yet",
                about: "Events that the wallet sends to your endpoint.",
                columns: ["at", "type", "user_id", "environment", "status", "attempts", "last_error", "event_id"],
                links: [
                    Link(label: "undelivered", address: WebAddress.page("list/undelivered")),
                    Link(label: "given up", address: WebAddress.page("list/undelivered", ["status": "dead"])),
                ]
            )
        case "undelivered":
            return .init(
                title: "Undelivered events",
                empty: "No undelivered events",
                about: "Events that wait for delivery (pending) or were given up (dead).",
                columns: all
            )
        case "flags":
            return .init(
                title: "Review flags",
                empty: "No review flags yet",
                about: "Users with many refunds. Blocked accounts get no grants and cannot book.",
                columns: [
                    "raised_at", "user_id", "environment", "refunds", "is_blocked", "resolution", "resolved_at",
                    "resolved_by",
                ],
                links: [Link(label: "open", address: WebAddress.page("list/flags", ["open": "true"]))]
            )
        case "classes":
            return .init(
                title: "Classes",
                empty: "No classes yet",
                about: "Sorted by start. Seats are counted for production wallets only.",
                columns: [
                    "starts_at", "class_id", "title", "status", "capacity", "seats_sold", "seats_held", "waiting",
                    "price_credits", "price_visits",
                ]
            )
        case "products":
            return .init(
                title: "Catalogue",
                empty: "No products yet",
                about: "Changes apply to new purchases. Earlier purchases keep their terms.",
                columns: [
                    "product_id", "kind", "name", "unit", "amount", "bonus", "price_minor", "currency", "is_active",
                    "period", "valid_days", "app_store_id", "play_store_id", "revenuecat_id",
                ]
            )
        case "all_bookings":
            return .init(
                title: "Bookings",
                empty: "No bookings yet",
                about: "All bookings, newest first.",
                columns: [
                    "created_at", "user_id", "class_title", "starts_at", "status", "seats", "unit", "amount",
                    "returned",
                    "cancelled_by", "environment", "booking_id",
                ],
                links: ["booked", "cancelled"].map {
                    Link(label: $0, address: WebAddress.page("list/all-bookings", ["status": $0]))
                }
            )
        case "claims":
            return .init(
                title: "Purchases",
                empty: "No purchases yet",
                about: "The stores' transactions, newest first.",
                columns: [
                    "purchased_at", "user_id", "product_id", "store", "environment", "status", "unit", "granted",
                    "remaining", "owed", "claim_id",
                ]
            )
        case "all_subscriptions":
            return .init(
                title: "Subscriptions",
                empty: "No subscriptions yet",
                about: "All subscriptions with their current state, newest first.",
                columns: [
                    "started_at", "user_id", "product_id", "store", "environment", "status", "period_end",
                    "will_renew", "renewals", "cancelled_at",
                ],
                links: ["trial", "active", "grace", "billing_retry", "paused", "expired"].map {
                    Link(
                        label: $0.replacing("_", with: " "),
                        address: WebAddress.page("list/all-subscriptions", ["status": $0])
                    )
                }
            )
        case "refunds":
            return .init(
                title: "Refunds",
                empty: "No refunds yet",
                about: "Purchases that a store refunded. Owed is the spent part that is not repaid yet.",
                columns: [
                    "refunded_at", "user_id", "product_id", "environment", "unit", "granted", "refunded", "owed",
                    "repaid", "used_by",
                ]
            )
        case "invariants":
            return .init(
                title: "Invariants",
                empty: "No invariants",
                about: "Unresolved violations that the running checks found in changed wallets and classes. "
                    + "Every number must be 0.",
                columns: all
            )
        default:
            let name = self.name.replacing("_", with: " ")
            return .init(title: name.capitalized, empty: "No \(name) yet", about: "", columns: all)
        }
    }
}
