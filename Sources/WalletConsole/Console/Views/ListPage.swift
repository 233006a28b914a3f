import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Wallet

extension OperatorConsole {
    /// Adds the page of each list, which also returns the list as a CSV file.
    func addLists(to group: some RouterMethods<Context>) {
        let lists = OperatorList.all.filter { !["lots", "roster", "waitlist"].contains($0.name) }
        for list in lists + [.pastClasses] {
            let path = "list/\(list.path)"
            let section = list.name == "past_classes" ? "list/classes" : path
            group.get("console/\(path)") { request, context in
                try await self.visit(request, context) { visit in
                    guard visit.query("format") != "csv" else { return try await Self.csv(list, visit) }
                    let asked = try await Self.filters(of: list, visit)
                    let rows = try await visit.interface.rows(of: list, asked, limit: 50, cursor: asked["cursor"])
                    let page = ListPage(list, rows, visit, at: try await visit.interface.now(), filters: asked)
                    return try self.response(page.title, self.templates.draw("list", page), at: section, visit)
                }
            }
        }
    }

    /// Returns the query of a list's page, with the filter that the list of classes has by default: classes from today
    /// on, or classes before today.
    ///
    /// A form with an empty filter lists all classes, and a later page keeps the filters of its link.
    private static func filters(of list: OperatorList, _ visit: Visit) async throws -> [String: String] {
        let asked = visit.queries
        guard let name = ["classes": "from", "past_classes": "until"][list.name] else { return asked }
        guard ["from", "until", "class_id", "cursor"].allSatisfy({ asked[$0] == nil }) else { return asked }
        return asked.merging([name: visit.zone.day(of: try await visit.interface.now())]) { $1 }
    }

    /// Streams a whole list as one file, part after part, as fast as the browser reads it.
    ///
    /// If a part cannot be read, the connection ends, so that the browser reports a broken download.
    private static func csv(_ list: OperatorList, _ visit: Visit) async throws -> Response {
        let filters = visit.queries.filter { list.filterNames.contains($0.key) }
        let export = try await visit.interface.export(list, filters)
        let body = ResponseBody { writer in
            try await export.write { try await writer.write(ByteBuffer(string: $0)) }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present",
            .contentDisposition: "attachment; filename=\"\(list.name).csv\"",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }
}

/// The values of a list's page: filters, rows, and the links to the next page and to the CSV file.
struct ListPage: Sendable {
    /// One filter of the form.
    struct Filter: Sendable {
        let name: String
        let label: String
        let value: String
        /// The values of a filter with fixed values.
        let options: [ActionForm.Option]
        /// A stored property, because templates access only stored properties.
        let isChoice: Bool
        /// An example of a day; nil for other filters.
        let placeholder: String?
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

    /// Creates the page's values from rows of the list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - rows: The rows of the page.
    ///   - visit: The request and its operator.
    ///   - now: The time of the wallet clock.
    ///   - asked: The request's query with the list's default filter; nil for the query alone.
    init(
        _ list: OperatorList,
        _ rows: OperatorInterface.Rows,
        _ visit: Visit,
        at now: Date,
        filters asked: [String: String]? = nil
    ) {
        let shown = list.shown
        let isDefault = asked.map { $0 != visit.queries } ?? false
        let asked = asked ?? visit.queries
        let path = "list/\(list.path)"
        self.title = shown.title
        self.about = shown.about
        self.links =
            shown.shortcuts.map { Link(label: $0.label, address: WebAddress.page("list/\($0.path)", $0.filters)) }
            + ActionLinks.links(above: list, right: visit.session.owner.right)
        self.path = WebAddress.page(path)
        self.filters = list.filterNames.map { name in
            let value = asked[name] ?? ""
            let options = list.options(of: name).map { ActionForm.Option(value: $0, isChosen: $0 == value) }
            let isTime = ["from", "until"].contains(name)
            return Filter(
                name: name,
                label: Table.label(of: name),
                value: value,
                options: options,
                isChoice: !options.isEmpty,
                placeholder: isTime ? visit.zone.day(of: now) : nil
            )
        }
        self.hasFilters = !self.filters.isEmpty
        let filters = asked.filter { list.filterNames.contains($0.key) && !$0.value.isEmpty }
        let empty = filters.isEmpty || isDefault ? shown.empty : "No rows match this filter"
        self.table = Table(rows.items, shown.columns ?? list.columns.map(\.name), empty: empty, in: visit.zone) { row in
            ActionLinks.links(in: list, for: row, at: now, right: visit.session.owner.right)
        }
        self.csv = WebAddress.page(path, filters.merging(["format": "csv"]) { $1 })
        self.next = rows.next.map { WebAddress.page(path, filters.merging(["cursor": $0]) { $1 }) }
    }
}
