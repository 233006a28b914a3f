import Foundation
import JSON
import Wallet

/// The values of the first page: what needs attention, the classes of today and tomorrow, and the money of the day and
/// the month.
struct HomePage: Sendable {
    /// Work that needs an operator, with the address of the list that shows it.
    struct Sign: Sendable {
        let label: String
        let state: String
        let since: String?
        let address: String
    }

    /// A day with its classes.
    struct Day: Sendable {
        let name: String
        /// The day in a sentence, such as "today".
        let phrase: String
        /// The day with its weekday, such as "Thursday 2026-11-26".
        let weekday: String
        let classes: [Session]
        /// A stored property, because templates access only stored properties.
        let isFree: Bool
    }

    /// A class of a day.
    struct Session: Sendable {
        let time: String
        let instant: String
        let title: String
        let address: String
        let seats: String
        let waiting: String
        let attendance: String
        /// A Boolean value that indicates whether bookings exist whose attendance is still to be marked.
        let isToMark: Bool
        let isCancelled: Bool
    }

    /// The day and the studio's time zone.
    let date: String
    let signs: [Sign]
    /// A Boolean value that indicates whether nothing needs attention.
    let isCalm: Bool
    let days: [Day]
    /// A Boolean value that indicates whether the days have more classes than shown.
    let isCut: Bool
    /// The address of the form for a new class; nil if the operator may not create one.
    let create: String?
    let links: [Link]
    let money: Table

    init(_ visit: Visit) async throws {
        let api = visit.interface
        let now = try await api.now()
        let attention = try await api.rows(of: .attention).items
        let classes = try await api.rows(of: .today, limit: 100)
        let revenue = try await api.rows(of: .revenueNow, limit: 100).items
        let today = ChartDay(text: visit.zone.day(of: now)) ?? ChartDay(number: 0)

        self.date = "\(today.weekday), \(visit.zone.text(now)) in \(visit.zone.name)"
        self.signs = attention.sorted { Self.rank($0) < Self.rank($1) }.compactMap { Sign($0, in: visit.zone) }
        self.isCalm = self.signs.isEmpty
        self.days = [
            Day("Today", today, classes.items.filter { $0["is_today"]?.isTrue == true }, in: visit.zone),
            Day(
                "Tomorrow",
                ChartDay(number: today.number + 1),
                classes.items.filter { $0["is_today"]?.isTrue != true },
                in: visit.zone
            ),
        ]
        self.isCut = classes.next != nil
        let actions = ActionLinks.links(above: .classes, right: visit.session.owner.right)
        self.create = actions.first?.address
        self.links = [Link(label: "All upcoming classes", address: WebAddress.page("list/classes"))] + actions
        self.money = Self.money(revenue, in: visit.zone)
    }

    /// Returns the position of a kind of work: broken books come before all other work.
    private static func rank(_ row: JSONValue) -> Int {
        Sign.kinds.firstIndex { $0.name == row["kind"]?.text } ?? Sign.kinds.count
    }

    private static func money(_ rows: [JSONValue], in zone: StudioTimeZone) -> Table {
        let named = rows.map { row in
            var row = row.members ?? [:]
            row["period"] = row["period"] == "day" ? "Today" : "This month"
            return JSONValue.object(row)
        }
        return Table(
            named,
            ["period", "currency", "purchases", "gross", "refunds", "refunded", "net"],
            empty: "No sales this month. Purchases appear here within an hour.",
            in: zone
        )
    }
}

extension HomePage.Sign {
    /// The kinds of work in the view `admin.attention`, the most important first.
    fileprivate static let kinds: [(name: String, label: String, one: String, many: String, page: String)] = [
        ("violations", "Books", "violation of an invariant", "violations of invariants", WebAddress.page("health")),
        (
            "quarantined_messages", "Inbox", "quarantined message", "quarantined messages",
            WebAddress.page("list/messages", ["status": "quarantined"])
        ),
        (
            "dead_events", "Events", "event given up", "events given up",
            WebAddress.page("list/undelivered", ["status": "dead"])
        ),
        (
            "failing_events", "Endpoint", "event keeps failing", "events keep failing",
            WebAddress.page("list/undelivered", ["status": "pending"])
        ),
        (
            "open_flags", "Flags", "open review flag", "open review flags",
            WebAddress.page("list/flags", ["open": "true"])
        ),
    ]

    /// Creates a sign from a row of the view; nil for a kind that the console does not know.
    fileprivate init?(_ row: JSONValue, in zone: StudioTimeZone) {
        guard let kind = Self.kinds.first(where: { $0.name == row["kind"]?.text }) else { return nil }
        let items = row["items"]?.shown ?? ""
        self.label = kind.label
        // The view counts up to 100.
        self.state = "\(items)\(items == "100" ? " or more" : "") \(items == "1" ? kind.one : kind.many)"
        self.since = row["since"]?.text.flatMap(zone.instant).map(zone.text)
        self.address = kind.page
    }
}

extension HomePage.Day {
    fileprivate init(_ name: String, _ day: ChartDay, _ rows: [JSONValue], in zone: StudioTimeZone) {
        self.name = name
        self.phrase = name.lowercased()
        self.weekday = "\(day.weekday) \(day.text)"
        self.classes = rows.map { HomePage.Session($0, in: zone) }
        self.isFree = rows.isEmpty
    }
}

extension HomePage.Session {
    fileprivate init(_ row: JSONValue, in zone: StudioTimeZone) {
        let id = row["class_id"]?.text ?? ""
        let times = ["starts_at", "ends_at"].map { name in
            // The day is the heading, so only the time remains.
            row[name]?.text.flatMap(zone.instant).map { String(zone.text($0).dropFirst(11)) } ?? ""
        }
        let unmarked = row["unmarked"]?.number
        self.time = times.joined(separator: "–")
        self.instant = row["starts_at"]?.text ?? ""
        self.title = row["title"]?.text ?? id
        self.address = WebAddress.page("class", ["class_id": id])
        self.seats = "\(row["seats_sold"]?.shown ?? "") of \(row["capacity"]?.shown ?? "")"
        self.waiting = row["waiting"]?.shown ?? ""
        self.isToMark = unmarked.map { $0 > 0 } ?? false
        self.isCancelled = row["status"]?.text == "cancelled"
        self.attendance = self.isToMark ? "\(row["unmarked"]?.shown ?? "") to mark" : ""
    }
}

extension ChartDay {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// The English name of the day of the week.
    fileprivate var weekday: String { Self.weekdays[self.number - self.monday.number] }
}
