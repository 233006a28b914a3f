import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Wallet

/// Hands the wallet's events to the operator's endpoint: signed, at least once, in the order in which they happened as
/// far as failures allow.
struct EventDispatcher: Sendable {
    private static let batch = 100
    private static let timeout: Duration = .seconds(15)

    let wallet: Wallet
    let endpoint: EventEndpoint
    let httpClient: HTTPClient
    let logger: Logger

    /// Sends everything that is due.
    func sendDue() async throws {
        while try await self.wallet.enqueueDeliveries(limit: Self.batch) == Self.batch, !Task.isCancelled {}
        while !Task.isCancelled {
            let due = try await self.wallet.dueDeliveries(limit: Self.batch)
            for delivery in due {
                try await self.wallet.record(delivery, error: await self.send(delivery))
            }
            if due.count < Self.batch { return }
        }
    }

    /// Sends one event.
    ///
    /// - Parameter delivery: The event.
    /// - Returns: Why it failed, nil if the endpoint took it.
    private func send(_ delivery: Delivery) async -> String? {
        do {
            let response = try await self.httpClient.execute(
                self.request(for: delivery),
                deadline: .now() + .nanoseconds(Int64(Self.timeout / .nanoseconds(1))),
                logger: self.logger
            )
            // What the endpoint says is read to the end of a small body, so that the connection can be used again.
            _ = try? await response.body.collect(upTo: 64 * 1_024)
            return (200..<300).contains(response.status.code) ? nil : "status \(response.status.code)"
        } catch {
            self.logger.debug("An event could not be delivered", metadata: ["error": "\(error)"])
            return "unreachable"
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
