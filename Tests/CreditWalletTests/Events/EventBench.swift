import AsyncHTTPClient
import Foundation
import Logging
import Postgres
import TestSupport
import Wallet

@testable import CreditWallet

/// A wallet on the test's own database, an endpoint, and dispatchers that send the wallet's events to it.
struct EventBench: Sendable {
    let database: TestDatabase
    /// The superuser's session.
    private let root: Connection
    let wallet: Wallet
    let receiver: EventReceiver
    let httpClient: HTTPClient

    static func run(_ body: @Sendable (EventBench) async throws -> Void) async throws {
        let database = try TestDatabase.current
        let root = try await database.connect()
        let pool = Pool(configuration: PoolConfiguration(url: try database.serviceURL), logger: .silent)
        try await EventReceiver.run { receiver in
            try await HTTPClient.withHTTPClient(configuration: .outgoing) { httpClient in
                try await body(
                    EventBench(
                        database: database,
                        root: root,
                        wallet: Wallet(pool: pool),
                        receiver: receiver,
                        httpClient: httpClient
                    )
                )
            }
        }
        await pool.close()
    }

    func dispatcher(
        url: String? = nil,
        timeout: Duration = .seconds(15),
        grace: Duration = .seconds(5)
    ) throws -> EventDispatcher {
        EventDispatcher(
            wallet: self.wallet,
            endpoint: try EventEndpoint(url: url ?? self.receiver.url, secrets: StoreSettings.eventsSecret),
            httpClient: self.httpClient,
            logger: .silent,
            timeout: timeout,
            grace: grace
        )
    }

    /// Grants credits, which produces one event for each amount.
    func give(_ amounts: [Int], to user: String = "ann") async throws {
        for amount in amounts {
            try await self.query(
                """
                INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
                VALUES (\(UUID().uuidString), \(user), \(amount), 'for a test', TRUE)
                """
            )
        }
    }

    @discardableResult
    func query(_ query: Query) async throws -> [Row] {
        try await self.root.query(query)
    }

    func advance(_ seconds: Double) async throws {
        try await self.query("SELECT wallet.advance_clock(make_interval(secs => \(seconds)))")
    }

    /// Sends until the endpoint has received so many messages, for at most ten minutes.
    ///
    /// A transaction of any other database on the server holds events back while it runs, so one round may send nothing.
    ///
    /// - Returns: How long the slowest round took.
    @discardableResult
    func send(_ dispatcher: EventDispatcher, until count: Int) async throws -> Duration {
        let deadline = ContinuousClock.now + .seconds(600)
        var slowest = Duration.zero
        while self.receiver.messages.count < count, ContinuousClock.now < deadline {
            let began = ContinuousClock.now
            try await dispatcher.sendDue()
            slowest = max(slowest, began.duration(to: .now))
            if self.receiver.messages.count < count { try await Task.sleep(for: .milliseconds(50)) }
        }
        return slowest
    }

    /// Returns each delivery's status, attempts, last error, and seconds until the next attempt.
    func deliveries() async throws -> [String] {
        try await self.query(
            """
            SELECT concat_ws(
                ' ', d.status, d.attempts, d.last_error,
                CASE WHEN d.status = 'pending' THEN round(extract(EPOCH FROM d.next_attempt_at - wallet.now())) END
            ) AS text FROM wallet.deliveries AS d ORDER BY d.event_id
            """
        ).map { try $0.decode("text", as: String.self) }
    }
}
