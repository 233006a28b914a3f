import Foundation
import Postgres
import TestSupport
import Testing
import WalletClient

/// Tests of the metrics that the running executable serves on its metrics address.
@Suite(.measuredLiveWallet, .showingLog, .serialized) struct MetricsTests {
    private let wallet: LiveWallet
    private let metrics: WebClient

    init() throws {
        self.wallet = try LiveWallet.current
        self.metrics = WebClient(baseURL: try #require(self.wallet.description.metricsURL))
    }

    private static let notFound =
        "http_server_request_duration_seconds_count{http_request_method=\"GET\",http_response_status_code=\"404\","
        + "url_scheme=\"http\"}"
    private static let bookBatch =
        "{db_operation_name=\"SELECT\",db_query_summary=\"SELECT wallet.book_batch\",db_system_name=\"postgresql\"}"

    private func scrape() async throws -> Scrape {
        let answer = try await self.metrics.send(.get, "/metrics")
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        return Scrape(answer)
    }

    /// Sends requests that buy, book, are refused, cancel and ask for a missing resource.
    private func traffic() async throws {
        let user = try self.wallet.user("measured")
        let sale = try await self.wallet.store.buy(SandboxStore.starter, for: user.id)
        _ = try await user.client.submitReceipt(sale.receipt)
        let play = try await self.wallet.store.buy(SandboxStore.starter, for: user.id, ["store": "play_store"])
        _ = try await user.submit(playPurchase: play, of: SandboxStore.starter)
        let classID = try await self.wallet.makeClass(credits: 20)
        let booking = try await user.client.book(classID: classID).booking
        #expect(try await user.book(class: classID).slug == "already-booked")
        _ = try await user.client.cancel(booking.bookingID)
        #expect(try await self.wallet.http.send(.get, "/no/such/\(user.id)").status == 404)
    }

    @Test func `the page has every documented family, and promtool reports no error`() async throws {
        try await self.traffic()
        try await eventually("the books are read, with what was granted") {
            let scrape = try await self.scrape()
            return scrape.sum("wallet_grants_total") > 0
                && scrape.text.contains("wallet_sampled_timestamp_seconds{sample=\"invariants\"}")
        }
        let scrape = try await self.scrape()
        let document = URL(filePath: #filePath).appending(path: "../../../deploy/metrics.md").standardizedFileURL
        let documented = try String(contentsOf: document, encoding: .utf8)
            .matches(of: /^\| `([a-z_]+)[`{]/.anchorsMatchLineEndings()).map { String($0.output.1) }
        // These families exist only with event delivery, span export or read standbys, which this instance does not
        // use.
        let absent: Set = [
            "wallet_reads_total", "wallet_outbox_oldest_seconds", "wallet_outbox_pending", "wallet_outbox_dead",
            "otel_sdk_processor_span_processed_total", "otel_sdk_exporter_span_exported_total",
        ]
        #expect(Set(scrape.types.keys) == Set(documented).subtracting(absent))
        // OpenTelemetry's conventions give this gauge its name; promtool mistakes the suffix for a histogram's.
        let expected =
            "exit 3 db_client_connection_count non-histogram and non-summary metrics should not have"
            + " \"_count\" suffix"
        #expect(try await scrape.complaints().trimmingCharacters(in: .newlines) == expected)
    }

    @Test func `metrics count requests and refusals`() async throws {
        let before = try await self.scrape()
        try await self.traffic()
        let lag = "wallet_inbox_lag_seconds_count{source=\"app_store\"}"
        try await eventually("the store's message is applied") {
            try await self.scrape().sum(lag) > before.sum(lag)
        }
        let after = try await self.scrape()
        func grew(_ series: String) -> Double { after.sum(series) - before.sum(series) }

        let requests = "http_server_request_duration_seconds_count"
        let bookings = "\(requests){http_request_method=\"POST\",http_response_status_code="
        #expect(grew("\(bookings)\"201\",http_route=\"/bookings\",url_scheme=\"http\"}") == 1)
        #expect(grew("\(bookings)\"409\",http_route=\"/bookings\",url_scheme=\"http\"}") == 1)
        #expect(grew(Self.notFound) == 1)
        #expect(grew("db_client_operation_duration_seconds_count\(Self.bookBatch)") >= 2)
        #expect(grew("wallet_refusals_total{slug=\"already-booked\"}") == 1)
        #expect(grew("wallet_debits_total{unit=\"credit\"}") == 1)
        #expect(grew("wallet_debited_units_total{unit=\"credit\"}") == 20)
        #expect(grew("wallet_booking_queue_wait_seconds_count") == 3)
        #expect(grew("wallet_submitted_purchases_total") == 2)
        let calls = after.lines("http_client_request_duration_seconds_count{")
        for (store, operation) in [("app_store", "verify_receipt"), ("google_play", "product")] {
            let labels = "wallet_store=\"\(store)\",wallet_store_operation=\"\(operation)\"}"
            let line = calls.first { $0.contains(labels) && $0.contains("http_response_status_code=\"200\"") }
            #expect(line?.contains("server_address=\"127.0.0.1\"") == true, "\(calls)")
        }
        #expect(after.lines("wallet_build_info{").contains { $0.contains("version=\"0.1.0\"") && $0.hasSuffix(" 1") })
        #expect(grew("wallet_inbox_attempts_total{source=\"app_store\",status=\"processed\"}") >= 1)
        #expect(after.sum("db_client_connection_count{db_client_connection_pool_name=\"wallet\"") >= 1)
        #expect(try #require(after.value("process_resident_memory_bytes")) > 1_000_000)
        #expect(!after.text.contains("measured-"), "an id in a label")
    }

    @Test func `metrics show the books and violated invariants`() async throws {
        try await self.traffic()
        let user = try self.wallet.user("liable")
        try await self.wallet.give(7, to: user)
        let rows = try await self.wallet.query(
            "SELECT sum(credits)::float8 AS credits FROM wallet.wallets WHERE environment = 'production'"
        )
        let held: Double = try #require(rows.first).decode("credits")
        let liability = "wallet_liability_units{environment=\"production\",unit=\"credit\"}"
        try await eventually("the liability is \(held)") {
            try await self.scrape().value(liability) == held
        }
        let violations = "wallet_invariant_violations{invariant=\"wallet_sums\"}"
        try await eventually("invariants are counted") {
            try await self.scrape().value(violations) == 0
        }

        let account = "(SELECT account_id FROM wallet.identities WHERE user_id = '\(user.id)')"
        try await self.damage("UPDATE wallet.wallets SET credits = credits + 1 WHERE account_id = \(account)")
        try await eventually("the damage is seen") {
            try await self.scrape().value(violations) == 1
        }
        try await self.damage("UPDATE wallet.wallets SET credits = credits - 1 WHERE account_id = \(account)")
    }

    private func damage(_ statement: String) async throws {
        let connection = try await self.wallet.connect()
        defer { connection.close() }
        try await connection.execute(script: "SET session_replication_role = replica; \(statement)")
    }

    @Test func `metrics are served on the metrics address only, and nothing else is`() async throws {
        #expect(try await self.wallet.http.send(.get, "/metrics").status == 404)
        #expect(try await self.metrics.send(.get, "/balance").status == 404)
        #expect(try await self.metrics.send(.get, "/health").status == 404)
    }

    @Test func `invented methods and paths create no series`() async throws {
        for number in 0..<20 {
            _ = try await self.wallet.http.send(.get, "/made-up-\(number)")
        }
        let text = try await self.scrape().text
        #expect(!text.contains("made-up"))
        #expect(text.contains(Self.notFound))
    }
}
