import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Postgres
import TestSupport
import Testing
import Wallet

@testable import WalletConsole

/// Tests of the studio's day and of the list of classes, which begins with today.
///
/// The clock of each test is at 22:45 in New York on Thursday, 10 January 2030, when UTC has the next day.
@Suite struct HomePageTests {
    private static let classes: [(id: String, startsAt: String)] = [
        ("noon", "2030-01-10T17:00:00Z"), ("late", "2030-01-11T04:30:00Z"), ("early", "2030-01-11T05:00:00Z"),
        ("friday", "2030-01-12T04:59:59Z"), ("saturday", "2030-01-12T05:00:00Z"), ("old", "2030-01-10T04:59:59Z"),
    ]

    /// Moves the clock, and creates classes with one booking each.
    private static func prepare(_ classes: [(id: String, startsAt: String)] = Self.classes) async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(
            script: """
                SELECT wallet.set_studio_time_zone('America/New_York');
                SELECT wallet.advance_clock('2030-01-11T03:45:00Z' - wallet.now());
                """
        )
        for (id, startsAt) in classes {
            try await connection.execute(
                script: """
                    INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
                    SELECT '\(id)', 'Class <\(id)>', t.at, t.at + interval '1 hour', 1, wallet.now()
                    FROM (SELECT '\(startsAt)'::timestamptz AS at) AS t;
                    INSERT INTO wallet.class_seats (class_id, environment, capacity, sold)
                    VALUES ('\(id)', 'production', 5, 1);
                    INSERT INTO wallet.bookings (
                        account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount,
                        first_version, entry_count, free_minutes_before, free_until, created_at
                    ) SELECT
                        wallet.account_for('ann'), gen_random_uuid(), 'production', '\(id)', '\(id)', 1, 'credit', 1,
                        1, 1, 0, wallet.now(), wallet.now();
                    """
            )
        }
        connection.close()
    }

    private static func run(_ script: String) async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(script: script)
        connection.close()
    }

    private static func harness() throws -> ConsoleHarness {
        try ConsoleHarness(zone: try #require(StudioTimeZone("America/New_York")))
    }

    /// Returns a page's text.
    private static func text(_ path: String, _ browser: Browser) async throws -> String {
        let page = try await browser.get(path)
        #expect(page.status == .ok, "\(path)")
        return String(buffer: page.body)
    }

    /// Returns the ids of the classes that a page links to, in order.
    private static func ids(_ page: String) -> [String] {
        page.matches(of: /<a href="\/console\/class\?class_id=([a-z0-9]+)">/).map { String($0.output.1) }
    }

    @Test(.database) func `a class at 23:30 is today in New York, although UTC has the next day`() async throws {
        try await Self.prepare()
        try await Self.harness().run { browser in
            try await browser.signIn()
            let page = try await Self.text("/console", browser)
            #expect(page.contains("Thursday, 2030-01-10 22:45 in America/New_York"))
            #expect(page.contains("autofocus"))
            let parts = page.split(separator: "<h2>Tomorrow <span class=\"quiet\">Friday 2030-01-11</span></h2>")
            try #require(parts.count == 2, "\(page)")
            #expect(parts[0].contains("<h2>Today <span class=\"quiet\">Thursday 2030-01-10</span></h2>"))
            #expect(Self.ids(String(parts[0])) == ["noon", "late"])
            #expect(Self.ids(String(parts[1])) == ["early", "friday"])
            #expect(parts[0].contains(">23:30–00:30</time>"))
            #expect(parts[0].contains("><bdi>Class &lt;late&gt;</bdi></a>"))
            #expect(parts[0].contains("data-label=\"Seats sold\" class=\"number\">1 of 5</td>"))
            #expect(parts[0].contains("data-label=\"Waiting\" class=\"number\">0</td>"))
            // Attendance can be marked from an hour before the start.
            #expect(parts[0].components(separatedBy: ">1 to mark</a>").count == 3)
            #expect(!parts[1].contains("to mark"))
        }
    }

    @Test(.database) func `a day without classes leads to the form, and calm is stated`() async throws {
        try await Self.prepare([])
        let create = "No classes today. <a href=\"/console/actions/put-class\">Create a class</a>."
        for right in [OperatorRight.viewer, .operator] {
            try await Self.harness().run(as: right) { browser in
                try await browser.signIn()
                let page = try await Self.text("/console", browser)
                #expect(page.contains("✓ Nothing needs attention"))
                #expect(page.contains("No classes today."))
                #expect(page.contains("No classes tomorrow."))
                #expect(page.contains("No sales this month."))
                #expect(page.contains(create) == (right >= .operator))
            }
        }
    }

    @Test(.database) func `each kind of open work leads to the list that shows it`() async throws {
        try await Self.prepare([])
        try await Self.run(
            """
            SELECT wallet.quarantine_event('app_store', 'm1', 'REFUND', '{}', 'unreadable');
            INSERT INTO wallet.deliveries (event_id, event_at, status, attempts, next_attempt_at) VALUES
            (-2, '2030-01-09T12:00:00Z', 'pending', 3, wallet.now()),
            (-3, '2030-01-09T12:00:00Z', 'dead', 10, wallet.now()),
            (-4, '2030-01-09T12:00:00Z', 'dead', 10, wallet.now());
            INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
            VALUES (wallet.account_for('ann'), 'production', 3, '2030-01-09T12:00:00Z');
            INSERT INTO wallet.findings (name, detail, found_at)
            SELECT n.name, 'broken', '2030-01-09T12:00:00Z'
            FROM wallet.invariant_names AS n CROSS JOIN generate_series(1, 101) ORDER BY n.name LIMIT 101;
            """
        )
        try await Self.harness().run { browser in
            try await browser.signIn()
            let page = try await Self.text("/console", browser)
            #expect(!page.contains("Nothing needs attention"))
            #expect(page.contains("since 2030-01-09 07:00"))
            var places: [String.Index] = []
            for (address, state) in [
                ("health", "100 or more violations of invariants"),
                ("list/messages?status=quarantined", "1 quarantined message"),
                ("list/undelivered?status=dead", "2 events given up"),
                ("list/undelivered?status=pending", "1 event keeps failing"),
                ("list/flags?open=true", "1 open review flag"),
            ] {
                let link = try #require(page.range(of: "<a href=\"/console/\(address)\"><strong>"), "\(page)")
                #expect(page[link.upperBound...].prefix(200).contains("<span>⚠ \(state)</span>"), "\(state)")
                places.append(link.lowerBound)
                let list = try await Self.text("/console/\(address)", browser)
                #expect(list.contains("<table "), "\(address)")
            }
            #expect(places == places.sorted())
        }
    }

    @Test(.database) func `the money of the day and the month is in the currency, for production only`() async throws {
        try await Self.prepare([])
        try await Self.run(
            """
            INSERT INTO wallet.revenue_rows (
                place, day, environment, store, product_id, currency, purchases, quantity, trials, gross_minor, refunds,
                refunded_minor, net_minor
            ) VALUES
            (1, '2030-01-10', 'production', 'app_store', 'a', 'EUR', 2, 2, 0, 35800, 1, 17900, 17900),
            (2, '2030-01-02', 'production', 'play_store', 'a', 'EUR', 1, 1, 0, 17900, 0, 0, 17900),
            (3, '2030-01-02', 'production', 'app_store', 'b', 'JPY', 1, 1, 0, 150000, 0, 0, 150000),
            (4, '2029-12-31', 'production', 'app_store', 'a', 'EUR', 9, 9, 0, 99900, 0, 0, 99900),
            (5, '2030-01-10', 'sandbox', 'app_store', 'a', 'EUR', 7, 7, 0, 77700, 0, 0, 77700)
            """
        )
        try await Self.harness().run { browser in
            try await browser.signIn()
            let page = try await Self.text("/console", browser)
            let rows = page.matches(of: /(?s)<tr[^>]*>(<td.*?)<\/tr>/).map { row in
                row.output.1.matches(of: /<td[^>]*>([^<]*)<\/td>/)
                    .map { $0.output.1.trimmingCharacters(in: .whitespacesAndNewlines) }.joined(separator: " ")
            }
            #expect(
                rows == [
                    "Today EUR 2 358.00 1 179.00 179.00", "This month EUR 3 537.00 1 179.00 358.00",
                    "Today JPY 0 0 0 0 0", "This month JPY 1 1500 0 0 1500",
                ]
            )
        }
    }

    @Test(.database) func `classes begin with today, and past classes with the latest`() async throws {
        try await Self.prepare()
        try await Self.harness().run { browser in
            try await browser.signIn()
            let page = try await Self.text("/console/list/classes", browser)
            #expect(Self.ids(page) == ["noon", "late", "early", "friday", "saturday"])
            #expect(page.contains("name=\"from\" value=\"2030-01-10\""))
            #expect(page.contains("href=\"/console/list/past-classes\">Past classes</a>"))
            #expect(page.contains("/console/list/classes?format=csv&amp;from=2030-01-10\""))
            // A form with an empty filter, and a class by its id.
            let all = try await Self.text("/console/list/classes?from=&until=", browser)
            #expect(Self.ids(all).first == "old")
            #expect(Self.ids(try await Self.text("/console/list/classes?class_id=old", browser)) == ["old"])
            let ended = try await Self.text("/console/list/classes?until=2030-01-10", browser)
            #expect(Self.ids(ended) == ["old"])
            let past = try await Self.text("/console/list/past-classes", browser)
            #expect(Self.ids(past) == ["old"])
            #expect(past.contains("aria-current=\"page\">Classes</a>"))
            #expect(past.contains("href=\"/console/list/classes\">Upcoming classes</a>"))
            let descending = try await Self.text("/console/list/past-classes?until=2030-01-13", browser)
            #expect(Self.ids(descending) == ["saturday", "friday", "early", "late", "noon", "old"])
            // A CSV file without a filter has all classes, as before.
            let file = try await Self.text("/console/list/classes?format=csv", browser)
            #expect(file.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != "," } }.first == "old")
            #expect(file.split(separator: "\r\n").count == 7)
        }
    }

    @Test(.database) func `a later page of classes keeps its filter`() async throws {
        try await Self.prepare(
            Self.classes + (10...69).map { ("c\($0)", "2030-02-01T10:\($0 % 60 < 10 ? "0" : "")\($0 % 60):00Z") }
        )
        try await Self.harness().run { browser in
            try await browser.signIn()
            let page = try await Self.text("/console/list/classes", browser)
            #expect(Self.ids(page).count == 50)
            let next = try #require(page.firstMatch(of: /rel="next" href="([^"]*)"/)).output.1
            #expect(next.contains("from=2030-01-10"))
            let rest = try await Self.text(String(next).replacing("&amp;", with: "&"), browser)
            #expect(Set(Self.ids(page) + Self.ids(rest)).count == 65)
            #expect(!Self.ids(page + rest).contains("old"))
        }
    }
}
