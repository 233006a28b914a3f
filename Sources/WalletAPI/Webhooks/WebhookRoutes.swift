import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Logging
import StoreSync
import Stores

/// Receives the stores' messages.
///
/// - `POST /webhooks/app-store` (signed by Apple)
/// - `POST /webhooks/revenuecat` (Authorization value and/or signature)
/// - `POST /webhooks/google-play` (Pub/Sub push token)
///
/// The service stores an authenticated message before it responds. It also accepts a message that cannot be applied
/// yet, because the wallet retries it itself.
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
        guard let verifier = self.stores.signedData else { throw Problem.webhookNotConfigured }
        let body = try await request.rawBody()
        guard let payload = try? JSONDecoder().decode(SignedMessage.self, external: body).signedPayload else {
            throw Problem.malformed("The body must be an object with the member \"signedPayload\".")
        }
        try await self.take(await Self.event(in: payload, accordingTo: verifier), body, from: .appStore)
        return .ok
    }

    @Sendable
    private func revenueCat(_ request: Request, _ context: AppRequestContext) async throws -> HTTPResponse.Status {
        guard let webhook = self.stores.revenueCatWebhook else { throw Problem.webhookNotConfigured }
        let body = try await request.rawBody()
        let signature = HTTPField.Name(webhook.signatureHeader).flatMap { request.headers[$0] }
        do {
            try webhook.verify(authorization: request.headers[.authorization], signature: signature, body: body)
        } catch {
            throw error.code == .misconfigured ? Problem.webhookNotConfigured : .messageRefused(error)
        }
        let event = Result { () throws(StoreError) in try webhook.event(from: body) }
        try await self.take(event, body, from: .revenueCat)
        return .ok
    }

    @Sendable
    private func googlePlay(_ request: Request, _ context: AppRequestContext) async throws -> HTTPResponse.Status {
        guard let pushes = self.pushes, let reader = self.stores.googlePlayNotifications else {
            throw Problem.webhookNotConfigured
        }
        try await pushes.verify(BearerCredentials.token(in: request.headers))
        let body = try await request.rawBody()
        let event = Result { () throws(StoreError) in try reader.event(from: body) }
        try await self.take(event, body, from: .googlePlay)
        return .noContent
    }

    /// Stores a message, and quarantines an authenticated message that this release cannot read completely.
    private func take(
        _ event: Result<StoreEvent, StoreError>,
        _ body: Data,
        from source: StoreEvent.Source
    ) async throws {
        switch event {
        case .success(let event):
            // Quarantine first: the store does not resend a message that was accepted.
            if event.isPartlyUnreadable { try await self.inbox.quarantine(body, from: source, "partly-unreadable") }
            try await self.inbox.take(event)
        case .failure(let error):
            guard error.code == .unreadable else {
                if error.code == .wrongApp {
                    self.inbox.logger.error(
                        "A store's message is for an app that is not configured",
                        metadata: ["source": "\(source.rawValue)"]
                    )
                }
                throw Problem.messageRefused(error)
            }
            try await self.inbox.quarantine(body, from: source)
        }
    }

    private static func event(
        in payload: String,
        accordingTo verifier: SignedDataVerifier
    ) async -> Result<StoreEvent, StoreError> {
        do {
            return .success(try await verifier.notification(payload))
        } catch {
            return .failure(error)
        }
    }
}

extension Problem {
    /// The refusal of messages from a store without a configured proof: an unproven message could claim any purchase.
    fileprivate static let webhookNotConfigured = Problem(
        .serviceUnavailable,
        "webhook-not-configured",
        "No proof is configured for this store's messages, so the service rejects them.",
        retryAfter: 300
    )

    /// Returns the refusal of a message that cannot be accepted now or in its present form.
    fileprivate static func messageRefused(_ error: StoreError) -> Problem {
        switch error.code {
        case .misconfigured, .unavailable, .rateLimited: Problem(error)
        // A store may not resend a message after a permanent refusal, and the app may only be missing in the
        // configuration.
        case .wrongApp:
            Problem(
                .serviceUnavailable,
                "webhook-not-configured",
                "The message is for an app that is not configured here.",
                retryAfter: 3_600
            )
        default:
            Problem(
                .unauthorized,
                "webhook-not-proven",
                "The message does not prove that the store sent it: \(error.code).",
                headers: [.wwwAuthenticate: "Store-Proof realm=\"credit-wallet\""]
            )
        }
    }
}
