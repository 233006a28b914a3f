import AsyncHTTPClient
import CommandOutput
import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Wallet

/// Delivers the wallet's events to the operator's endpoint, signed and at least once.
///
/// Events of several accounts are sent concurrently; events of one account are sent in order, unless a delivery fails.
struct EventDispatcher: Sendable {
    private static let batch = 100
    /// The maximum number of accounts whose events are sent concurrently.
    private static let width = 16
    /// The time after fetching within which events are sent; 60 seconds after fetching, another instance may fetch
    /// them.
    private static let lease: Duration = .seconds(40)

    let wallet: Wallet
    let endpoint: EventEndpoint
    let httpClient: HTTPClient
    let logger: Logger
    /// The maximum time for the endpoint to respond, at most 15 seconds.
    var timeout: Duration = .seconds(15)
    /// The time that a running delivery has to finish after a shutdown began.
    var grace: Duration = .seconds(5)

    /// Sends all due events.
    ///
    /// If the endpoint is so slow that the lease on the fetched events runs out, the remaining events wait for the next
    /// round.
    func sendDue() async throws {
        while try await self.wallet.enqueueDeliveries(limit: Self.batch) == Self.batch, !Task.isCancelled {}
        while !Task.isCancelled {
            let leaseEnd = ContinuousClock.now.advanced(by: Self.lease)
            let due = try await self.wallet.dueDeliveries(limit: Self.batch)
            try await self.deliverAll(due, until: leaseEnd)
            guard due.count == Self.batch, ContinuousClock.now < leaseEnd else { return }
        }
    }

    /// Sends the events of several accounts concurrently, and those of one account in sequence.
    private func deliverAll(_ due: [Delivery], until leaseEnd: ContinuousClock.Instant) async throws {
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

    /// Runs an operation to completion even if a shutdown begins, within the grace period.
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

    /// Sends an event and records the result; an event without a recorded result would be sent again.
    private func deliver(_ delivery: Delivery) async throws {
        let failure = await self.send(delivery)
        // A delivery that a shutdown interrupted is not a failure of the endpoint, so the lease simply expires.
        if failure != nil, Task.isCancelled { return }
        try await self.wallet.record(delivery, error: failure)
    }

    /// Sends an event.
    ///
    /// - Parameter delivery: The event.
    /// - Returns: The reason of the failure; nil if the endpoint accepted the event.
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

    private func request(for delivery: Delivery) -> HTTPClientRequest {
        // The timestamp is the real time, even if the wallet's clock differs, because receivers compare it with their
        // own clock.
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

    /// Reads a small body to its end within a second, so that the connection can be reused; the status already decides
    /// the result.
    private static func drain(_ body: HTTPClientResponse.Body) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await body.collect(upTo: 64 * 1_024) }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Signs an event according to Standard Webhooks.
enum EventSignature {
    /// Signs `id.timestamp.body` with each secret.
    ///
    /// - Parameters:
    ///   - id: The event's id for the receiver.
    ///   - timestamp: The number of seconds since 1970.
    ///   - body: The body of the request.
    ///   - secrets: The secrets.
    /// - Returns: `v1,` and the signature in base64 for each secret, separated by spaces.
    static func header(id: String, timestamp: Int, body: String, secrets: [Data]) -> String {
        let message = Data("\(id).\(timestamp).\(body)".utf8)
        return secrets.map { secret in
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret))
            return "v1,\(Data(code).base64EncodedString())"
        }.joined(separator: " ")
    }
}

/// The endpoint of events, and the secrets that sign them.
struct EventEndpoint: Sendable {
    let url: String
    /// The secrets; each signs every event, so that the receiver can change its secret at any time.
    let secrets: [Data]

    /// Validates an endpoint.
    ///
    /// - Parameters:
    ///   - url: An https address, or an http address on the loopback host.
    ///   - secrets: One or more secrets of the form `whsec_` and base64, separated by spaces.
    /// - Throws: ``CommandError`` for another address, or a secret that is malformed or too short.
    init(url: String, secrets: String) throws(CommandError) {
        guard let parts = URL(string: url), let host = parts.host(), !host.isEmpty,
            parts.scheme == "https" || parts.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(host)
        else {
            throw ConfigurationKey.eventsURL.refused("must be an https address.")
        }
        self.url = url
        var keys: [Data] = []
        for secret in secrets.split(separator: " ") {
            let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst("whsec_".count)) : ""
            guard let key = Data(base64Encoded: text), key.count >= 24 else {
                throw ConfigurationKey.eventsSecret.refused("must be whsec_ and at least 24 bytes in base64.")
            }
            keys.append(key)
        }
        self.secrets = keys
    }
}
