import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Wallet

/// Hands the wallet's events to the operator's endpoint: signed, at least once, several accounts' at a time, those of one
/// account in the order in which they happened as far as failures allow.
struct EventDispatcher: Sendable {
    private static let batch = 100
    /// How many accounts' events are under way at a time.
    private static let width = 16
    /// How long after they were taken events are still sent; a minute later another instance may take them.
    private static let lease: Duration = .seconds(40)

    let wallet: Wallet
    let endpoint: EventEndpoint
    let httpClient: HTTPClient
    let logger: Logger
    /// How long the endpoint may take to answer, at most 15 seconds.
    var timeout: Duration = .seconds(15)
    /// How long a delivery goes on once a shutdown has begun.
    var grace: Duration = .seconds(5)

    /// Sends everything that is due.
    ///
    /// When the endpoint is so slow that other instances may soon take what this one has, the rest is left to the next
    /// round.
    func sendDue() async throws {
        while try await self.wallet.enqueueDeliveries(limit: Self.batch) == Self.batch, !Task.isCancelled {}
        while !Task.isCancelled {
            let leaseEnd = ContinuousClock.now.advanced(by: Self.lease)
            let due = try await self.wallet.dueDeliveries(limit: Self.batch)
            try await self.deliver(due, until: leaseEnd)
            guard due.count == Self.batch, ContinuousClock.now < leaseEnd else { return }
        }
    }

    /// Sends several accounts' events at once, those of one account one after the other.
    private func deliver(_ due: [Delivery], until leaseEnd: ContinuousClock.Instant) async throws {
        let accounts = Dictionary(grouping: due, by: \.accountID).values.sorted { $0[0].eventID < $1[0].eventID }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, deliveries) in accounts.enumerated() {
                if place >= Self.width { try await group.next() }
                group.addTask {
                    for delivery in deliveries where ContinuousClock.now < leaseEnd && !Task.isCancelled {
                        try await self.finish { try await self.deliver(delivery) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Does one thing to its end also when a shutdown begins meanwhile, for as long as the grace lasts.
    private func finish(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: self.grace)
                task.cancel()
            }
        }
    }

    /// Sends one event and notes what became of it: what the endpoint took and nobody noted would be sent again.
    private func deliver(_ delivery: Delivery) async throws {
        let failure = await self.send(delivery)
        // Cut short by a shutdown, which says nothing of the endpoint: the lease runs out.
        if failure != nil, Task.isCancelled { return }
        try await self.wallet.record(delivery, error: failure)
    }

    /// Sends one event.
    ///
    /// - Parameter delivery: The event.
    /// - Returns: Why it failed, nil if the endpoint took it.
    private func send(_ delivery: Delivery) async -> String? {
        do {
            let response = try await self.httpClient.execute(
                self.request(for: delivery),
                deadline: .now() + .nanoseconds(Int64(self.timeout / .nanoseconds(1))),
                logger: self.logger
            )
            await Self.drain(response.body)
            return (200..<300).contains(response.status.code) ? nil : "status \(response.status.code)"
        } catch {
            self.logger.debug("An event could not be delivered", metadata: ["error": "\(error)"])
            return "unreachable"
        }
    }

    /// Reads a small body to its end, so that the connection can be used again, but not for long: the status has said
    /// all there is to say.
    private static func drain(_ body: HTTPClientResponse.Body) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await body.collect(upTo: 64 * 1_024) }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func request(for delivery: Delivery) -> HTTPClientRequest {
        // The real time, whatever the wallet's clock says: receivers compare it with theirs.
        let timestamp = Int(Date().timeIntervalSince1970)
        var request = HTTPClientRequest(url: self.endpoint.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: "credit-wallet")
        request.headers.add(name: "webhook-id", value: delivery.webhookID)
        request.headers.add(name: "webhook-timestamp", value: "\(timestamp)")
        request.headers.add(
            name: "webhook-signature",
            value: EventSignature.header(
                id: delivery.webhookID,
                timestamp: timestamp,
                body: delivery.body,
                secrets: self.endpoint.secrets
            )
        )
        request.body = .bytes(ByteBuffer(string: delivery.body))
        return request
    }
}
