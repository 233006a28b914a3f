import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Stores
import Wallet

/// Takes the stores' own messages.
///
/// - `POST /webhooks/app-store` (signed by Apple)
/// - `POST /webhooks/revenuecat` (Authorization value and/or signature)
/// - `POST /webhooks/google-play` (Pub/Sub push token)
///
/// A message that proves its sender is kept before it is answered; one that cannot be applied yet is still answered as
/// taken, since it is the wallet that tries again.
struct WebhookRoutes {
    let inbox: Inbox
    let stores: StoreClients
    let pushes: PushVerifier?

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.post("webhooks/app-store", use: self.appStore)
        group.post("webhooks/revenuecat", use: self.revenueCat)
        group.post("webhooks/google-play", use: self.googlePlay)
    }

    @Sendable
    private func appStore(_ request: Request, _ context: AppRequestContext) async throws -> HTTPResponse.Status {
        guard let verifier = self.stores.signedData else { throw Self.notEnabled }
        let body = try await request.rawBody()
        guard let payload = try? JSONDecoder().decode(SignedPayload.self, from: body).signedPayload else {
            throw Problem.malformed("The body must be an object with the member \"signedPayload\".")
        }
        do {
            try await self.inbox.take(await verifier.notification(payload))
        } catch let error as StoreError where error.code == .unreadable {
            try await self.park(body, from: .appStore)
        } catch let error as StoreError where error.code != .unavailable {
            throw Self.unproven("\(error.code)")
        }
        return .ok
    }

    @Sendable
    private func revenueCat(_ request: Request, _ context: AppRequestContext) async throws -> HTTPResponse.Status {
        guard let webhook = self.stores.revenueCatWebhook else { throw Self.notEnabled }
        let body = try await request.rawBody()
        let field = HTTPField.Name(webhook.signatureHeader).flatMap { request.headers[$0] }
        do {
            try webhook.verify(authorization: request.headers[.authorization], signature: field, body: body)
        } catch {
            throw error.code == .misconfigured ? Self.notEnabled : Self.unproven("\(error.code)")
        }
        guard let event = try? webhook.event(from: body) else {
            try await self.park(body, from: .revenueCat)
            return .ok
        }
        try await self.inbox.take(event)
        return .ok
    }

    @Sendable
    private func googlePlay(_ request: Request, _ context: AppRequestContext) async throws -> HTTPResponse.Status {
        guard let pushes = self.pushes, let reader = self.stores.googlePlayNotifications else { throw Self.notEnabled }
        try await pushes.verify(BearerCredentials.token(in: request.headers))
        let body = try await request.rawBody()
        switch Result(catching: { () throws(StoreError) in try reader.event(from: body) }) {
        case .success(let event): try await self.inbox.take(event)
        case .failure(let error):
            guard error.code != .wrongApp else {
                throw Problem(.unprocessableContent, "wrong-app", "The message is about another app.")
            }
            try await self.park(body, from: .googlePlay)
        }
        return .noContent
    }

    /// Keeps what proved its sender but says something that this release cannot read.
    private func park(_ body: Data, from source: StoreEvent.Source) async throws {
        let digest = SHA256.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try await self.inbox.wallet.park(Self.json(body), from: source, id: "sha256:\(digest)", reason: "unreadable")
    }

    /// The body as JSON that PostgreSQL takes: NUL becomes a replacement character, and of what is no JSON only the
    /// length is kept, since nobody could find a user's data in it when they ask to be forgotten.
    private static func json(_ body: Data) -> String {
        let text = String(decoding: body, as: UTF8.self).replacing("\\u0000", with: "\\ufffd")
        let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        return value == nil ? "\"no JSON, \(body.count) bytes\"" : text
    }

    private static let notEnabled = Problem(
        .serviceUnavailable,
        "webhook-not-configured",
        "No proof is configured for this store's messages, so none is taken.",
        retryAfter: 300
    )

    private static func unproven(_ reason: String) -> Problem {
        Problem(.unauthorized, "webhook-not-proven", "The message does not prove that the store sent it: \(reason).")
    }

    private struct SignedPayload: Decodable {
        let signedPayload: String
    }
}
