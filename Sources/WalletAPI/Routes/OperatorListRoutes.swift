import HTTPTypes
import Hummingbird
import NIOCore
import Wallet

/// Returns the lists that operators work with: work, classes, the catalogue and money, as JSON or with `?format=csv` as
/// CSV.
///
/// - `GET /operator/users`; also `audit`, `messages`, `events`, `undelivered`, `flags`, `invariants`, `compensations`
///   (operator)
/// - `GET /operator/classes`; also `series`, `series-bookings`, `holidays`, `policies`, `products`, `testers` (operator)
/// - `GET /operator/bookings`; also `claims`, `subscriptions`, `refunds` (operator)
/// - `GET /operator/users/{id}/lots`, `GET /operator/classes/{id}/roster` and `…/waitlist` (operator)
/// - `GET /operator/reports/revenue` and the other reports (operator)
struct OperatorListRoutes {
    let wallet: Wallet
    /// The same wallet, on the connections reserved for CSV exports.
    let exports: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        for list in OperatorList.all {
            group.get(RouterPath("operator/\(list.route.replacing("{id}", with: ":id"))")) { request, context in
                try await self.page(of: list, request, context)
            }
        }
    }

    private func page(
        of list: OperatorList,
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> Response {
        var filters: [String: String] = [:]
        for name in list.filterNames {
            filters[name] = try request.query(name)
        }
        switch list.owner {
        case nil: break
        case .user: filters["user_id"] = try context.parameters.operatorUser().rawValue
        case .class: filters["class_id"] = try await self.wallet.operatorClass(context).id
        }
        let wanted = try request.page()
        switch try request.query("format") {
        case nil, "json":
            let page = try await self.wallet.rows(of: list, where: filters, page: wanted)
            return try JSONAnswer(PagedAnswer(list.name, page)).response()
        case "csv":
            // A broken connection must not look like the end of the file, so the length is unknown and each part is a
            // chunk.
            let export = try await self.exports.export(list, where: filters)
            let headers: HTTPFields = [
                .contentType: "text/csv; charset=utf-8; header=present",
                .contentDisposition: "attachment; filename=\"\(list.name).csv\"",
            ]
            let body = ResponseBody { writer in
                try await export.write { try await writer.write(ByteBuffer(string: $0)) }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: headers, body: body)
        case let text?: throw Problem.parameter("format", "must be json or csv", Received(text))
        }
    }
}
