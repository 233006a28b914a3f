import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Wallet

/// Returns the lists that operators work with: work, classes, the catalogue and money, as JSON or with `?format=csv` as
/// CSV.
///
/// - `GET /operator/audit`; also `messages`, `events`, `undelivered`, `flags`, `invariants` (operator)
/// - `GET /operator/classes`; also `roster`, `all-bookings`, `waitlist`, `products`, `testers` (operator)
/// - `GET /operator/lots`; also `claims`, `all-subscriptions`, `refunds` (operator)
/// - `GET /operator/reports/revenue`; also `deferred-revenue`, `movements`, `seats`, `breakage`, `subscription-months`
///   (operator)
struct OperatorListRoutes {
    let wallet: Wallet
    /// The same wallet, on the connections reserved for CSV exports.
    let exports: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        for list in OperatorList.all {
            group.get(RouterPath("operator/\(list.route)")) { request, _ in try await self.page(of: list, request) }
        }
    }

    private func page(of list: OperatorList, _ request: Request) async throws -> Response {
        var filters: [String: String] = [:]
        for name in list.filterNames {
            filters[name] = try request.query(name)
        }
        switch try request.query("format") {
        case nil, "json":
            let page = try await self.wallet.rows(of: list, where: filters, page: request.page())
            return try JSONAnswer(PagedAnswer(list.name, page)).response()
        case "csv":
            let page = try await self.exports.rows(of: list, where: filters, page: request.page())
            return Self.csv(list, page, of: request)
        case let text?: throw Problem.parameter("format", "must be json or csv", Received(text))
        }
    }

    /// Returns the query of the next page: the same filters and limit, with the cursor.
    private static func query(of request: Request, at cursor: String) -> String {
        let asked = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("cursor=") }
        let escaped = cursor.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        return (asked + ["cursor=\(escaped)"]).joined(separator: "&")
    }

    /// Creates a CSV response; a `Link` field (RFC 8288) contains the next page's address.
    private static func csv(_ list: OperatorList, _ page: Page<OperatorRow>, of request: Request) -> Response {
        let body = ByteBuffer(string: CSVText(list.columns, page.items).text)
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present", .contentLength: String(body.readableBytes),
            .contentDisposition: "attachment; filename=\"\(list.name).csv\"",
        ]
        if let cursor = page.nextCursor { headers[.link] = "<?\(Self.query(of: request, at: cursor))>; rel=\"next\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
