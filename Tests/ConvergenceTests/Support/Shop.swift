import AsyncHTTPClient
import Foundation
import Logging
import SandboxStores
import Stores
import Testing

/// The sandbox stores in which a story runs once, and the readers of their messages.
actor Shop {
    /// The response of a sandbox control.
    struct Sale: Decodable, Sendable {
        let transactionId: String
        let originalTransactionId: String
        let productId: String
        let receipt: String?
        let signedTransaction: String?
        let purchaseToken: String?
    }

    static let bundleID = "com.hobbyist.bookingapp"
    private static let day = 86_400.0

    let store: StoreName
    let readers: Readers
    private(set) var reports: [Report] = []
    private(set) var phase = 0
    private var readCount = 0
    private var acknowledged: Set<String> = []

    private init(store: StoreName, readers: Readers) {
        self.store = store
        self.readers = readers
    }

    /// Runs a story in newly started sandbox stores and returns its reports.
    static func live(_ story: Story) async throws -> ReportedStory {
        let clock = StoreClock()
        let stores = try SandboxStores(configuration: try Readers.configuration(clock), logger: .silent)
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let serving = Task { try await stores.run() }
        let reported: Result<ReportedStory, any Error>
        do {
            let url = "http://127.0.0.1:\(try await stores.boundPort())"
            let root = stores.rootCertificate
            let shop = Shop(
                store: story.store,
                readers: try Readers(url: url, root: root, client: client, clock: clock)
            )
            reported = .success(try await shop.live(story))
        } catch {
            reported = .failure(error)
        }
        try await client.shutdown()
        serving.cancel()
        return try reported.get()
    }

    private func live(_ story: Story) async throws -> ReportedStory {
        // The stores still list their notifications; they only do not deliver them.
        try await self.readers.post("notifications", ["enabled": false])
        let start = self.readers.clock.now
        try await story.life(self)
        return ReportedStory(
            reports: self.reports,
            start: start,
            end: self.readers.clock.now,
            acknowledged: self.acknowledged
        )
    }

    /// Buys a product; the app submits the purchase after the store and RevenueCat have reported it.
    func buy(_ product: Product, for user: User = .ann, _ members: [String: any Sendable] = [:]) async throws -> Sale {
        let basics: [String: any Sendable] = [
            "user_id": user.id, "product_id": product.id, "store": self.store.rawValue, "app_account_token": user.id,
        ]
        let sale = try await self.control("purchases", basics.merging(members) { $1 })
        try await self.handIn(sale, by: user)
        // Google Play refunds purchases that are not acknowledged.
        if members["pending"] == nil { try await self.acknowledge(sale) }
        return sale
    }

    /// Acknowledges a purchase at Google Play, as the wallet would.
    func acknowledge(_ sale: Sale) async throws {
        try await self.readers.acknowledge(sale)
        if let token = sale.purchaseToken { self.acknowledged.insert(token) }
    }

    /// Performs one step of a subscription.
    @discardableResult
    func step(_ sale: Sale, _ step: String, _ members: [String: any Sendable] = [:]) async throws -> Sale {
        try await self.control("subscriptions/\(sale.originalTransactionId)/\(step)", members)
    }

    /// Changes one transaction.
    @discardableResult
    func change(_ sale: Sale, _ change: String, _ members: [String: any Sendable] = [:]) async throws -> Sale {
        try await self.control("transactions/\(sale.transactionId)/\(change)", members)
    }

    func pass(days: Double) async throws {
        let seconds = Int(days * Self.day)
        try await self.readers.post("clock", ["advance_seconds": seconds, "renew": false])
    }

    /// Lets the current period end, and renews it a quarter of a day before its end, as the App Store does.
    @discardableResult
    func renew(_ sale: Sale) async throws -> Sale {
        try await self.pass(days: 29.75)
        let renewed = try await self.step(sale, "renew")
        try await self.pass(days: 0.25)
        return renewed
    }

    /// Spends credits.
    ///
    /// In every order, earlier reports stay before the booking and later reports stay after it.
    func book(credits: Int, for user: User = .ann) {
        let booking = Report.Booking(user: user.id, credits: credits)
        self.reports.append(
            Report(
                source: .app,
                label: "book",
                phase: self.phase + 1,
                at: self.readers.clock.now,
                content: .book(booking)
            )
        )
        self.phase += 2
    }

    /// Submits the purchase that a sandbox control returned.
    func handIn(_ sale: Sale, by user: User = .ann, as source: Report.Source = .app) async throws {
        let facts = try await self.readers.facts(of: sale)
        self.handIn(facts, by: user, as: source)
    }

    /// Submits facts for a user.
    func handIn(_ facts: [StoreFact], by user: User = .ann, as source: Report.Source = .app) {
        let handedIn = Report.HandedIn(user: user.id, facts: facts)
        let label = source == .look ? "look" : "hand in"
        self.reports.append(
            Report(
                source: source,
                label: label,
                phase: self.phase,
                at: self.readers.clock.now,
                content: .hand(handedIn)
            )
        )
    }

    /// Removes all reports so far, as if the purchases were made before the wallet was set up.
    func forget() {
        self.reports = []
    }

    /// Lets the user buy an ended subscription again in Google Play, outside the app.
    ///
    /// The app submits nothing, and the user is known only from the ended subscription.
    func resubscribe(_ sale: Sale) async throws -> Sale {
        try await self.step(sale, "resubscribe")
    }

    /// Requests Ann's purchase from the stores and RevenueCat, as a reconciliation does.
    func reconcile(_ sale: Sale) async throws {
        let statements = try await self.readers.statements(about: sale, of: .ann)
        self.reports.append(
            Report(
                source: .reconciliation,
                label: "reconcile",
                phase: self.phase,
                at: self.readers.clock.now,
                content: .compare(statements)
            )
        )
    }

    /// Adds a RevenueCat report that the sandbox stores do not produce: an earlier report with changed members.
    func revenueCat(after type: String, _ change: (inout [String: Any]) -> Void) throws {
        let earlier = try #require(self.reports.last { $0.source == .revenueCat && $0.label.hasSuffix(type) })
        var body = try #require(
            try JSONSerialization.jsonObject(with: Data(earlier.body.utf8)) as? [String: Any]
        )
        var event = try #require(body["event"] as? [String: Any])
        change(&event)
        body["event"] = event
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let read = try self.readers.revenueCat.event(from: Data(text.utf8))
        self.record(read, body: text, from: .revenueCat)
    }

    private func control(_ path: String, _ members: [String: any Sendable]) async throws -> Sale {
        let sale = try await self.readers.post(path, members, as: Sale.self)
        let notifications = try await self.readers.notifications()
        for notification in notifications[self.readCount...] {
            let event = try await self.readers.read(notification)
            let source = try #require(Report.Source(rawValue: notification.source))
            self.record(event, body: notification.body, from: source)
        }
        self.readCount = notifications.count
        return sale
    }

    private func record(_ event: StoreEvent, body: String, from source: Report.Source) {
        let now = self.readers.clock.now
        var report = Report(source: source, label: event.type, phase: self.phase, at: now, content: .event(event))
        report.label = "\(source.rawValue) \(event.type)"
        report.body = body
        self.reports.append(report)
    }
}
