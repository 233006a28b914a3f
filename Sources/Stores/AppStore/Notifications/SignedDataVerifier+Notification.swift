import Foundation

extension SignedDataVerifier {
    /// The time by which a notification's signing date may be ahead of the wallet's clock, in seconds.
    private static let tolerance: TimeInterval = 5 * 60

    /// Verifies a notification and the signed data in it, and returns the event that it reports.
    ///
    /// The inner transaction is verified separately and must be of the same app and the same store environment as the
    /// notification. Renewal information is verified in the same way. If it cannot be read, the transaction is still
    /// applied, and the event is marked as partly unreadable. Unknown types and types without information about
    /// purchases are returned as ignored, with the reason.
    /// - Parameter signedPayload: The notification as the store signed it.
    /// - Returns: The event, with at most one fact.
    /// - Throws: ``StoreError`` with the codes of ``transaction(_:)`` for the notification itself. Throws `unreadable`
    ///   if the notification names no app or no known environment, or if the inner data is wrong in any way. A
    ///   notification signed more than five minutes ahead of the wallet's clock is also `unreadable`: its facts would
    ///   override everything that the store reports until then.
    public func notification(_ signedPayload: String) async throws(StoreError) -> StoreEvent {
        let verified = try await self.verify(
            signedPayload,
            as: ResponseBodyV2DecodedPayload.self,
            maximumBytes: self.configuration.maximumNotificationBytes
        )
        let payload = verified.payload
        guard let identity = payload.identity, identity.bundleID != nil else {
            // Other signed data of the store is not a notification and has no type.
            throw StoreError(payload.notificationType == nil ? .wrongApp : .unreadable)
        }
        let side = try self.side(of: identity, isUnderExtraRoot: verified.isUnderExtraRoot)
        var event = try self.event(of: payload)
        guard let type = payload.notificationType, let signedAt = payload.signedDate else {
            throw StoreError(.unreadable)
        }
        guard signedAt <= self.wallClock().addingTimeInterval(Self.tolerance) else { throw StoreError(.unreadable) }
        switch NotificationMeaning(type, payload.subtype, hasData: payload.data != nil) {
        case .nothing(let reason):
            event.ignored = reason
        case .transaction(let occasion):
            let reading = NotificationReading(
                type: type,
                subtype: payload.subtype,
                occasion: occasion,
                signedAt: signedAt,
                transaction: try await self.innerTransaction(of: payload, identity: identity, side: side),
                renewal: try await self.innerRenewal(of: payload, identity: identity, side: side, event: &event)
            )
            let fact = try reading.fact()
            event.statements = [StoreEvent.AttributedFact(fact: fact)]
            if type == .consumptionRequest { event.consumptionRequest = fact.transactionID }
        }
        return event
    }

    /// Returns the store environment; throws `unreadable` if the app is accepted but the environment is unknown.
    private func side(of identity: AppIdentity, isUnderExtraRoot: Bool) throws(StoreError) -> StoreEnvironment {
        do throws(StoreError) {
            return try identity.side(
                accordingTo: self.configuration,
                carriesNumber: true,
                isUnderExtraRoot: isUnderExtraRoot
            )
        } catch {
            guard error.code == .wrongEnvironment, identity.environment?.side == nil else { throw error }
            throw StoreError(.unreadable)
        }
    }

    private func event(of payload: ResponseBodyV2DecodedPayload) throws(StoreError) -> StoreEvent {
        let names = [payload.notificationType?.rawValue, payload.subtype?.rawValue]
        let type = names.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ".")
        guard let id = payload.notificationUUID, Self.isName(id), Self.isName(type) else {
            throw StoreError(.unreadable)
        }
        return StoreEvent(source: .appStore, id: id, type: type)
    }

    /// Printable ASCII of at most 255 bytes; the text is used in keys and logs.
    private static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private func innerTransaction(
        of payload: ResponseBodyV2DecodedPayload,
        identity: AppIdentity,
        side: StoreEnvironment
    ) async throws(StoreError) -> SignedTransaction {
        guard let signed = payload.data?.signedTransactionInfo else { throw StoreError(.unreadable) }
        let transaction: SignedTransaction
        do {
            transaction = try await self.transaction(signed)
        } catch {
            throw error.asPartOfProvenData
        }
        guard
            transaction.payload.bundleId == identity.bundleID,
            transaction.payload.environment == identity.environment, transaction.environment == side
        else { throw StoreError(.unreadable) }
        return transaction
    }

    private func innerRenewal(
        of payload: ResponseBodyV2DecodedPayload,
        identity: AppIdentity,
        side: StoreEnvironment,
        event: inout StoreEvent
    ) async throws(StoreError) -> SignedRenewalInfo? {
        guard let signed = payload.data?.signedRenewalInfo, !Self.saysNothing(signed) else { return nil }
        do {
            let renewal = try await self.renewalInfo(signed)
            if renewal.payload.environment == identity.environment, renewal.environment == side { return renewal }
        } catch {
            let refusal = error.asPartOfProvenData
            guard refusal.code == .unreadable else { throw refusal }
        }
        event.isPartlyUnreadable = true
        return nil
    }

    /// Returns `true` for signed data whose payload is `null`, which the store sends if there is no renewal
    /// information.
    private static func saysNothing(_ signed: String) -> Bool {
        let parts = signed.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && Data(base64URL: parts[1]) == Data("null".utf8)
    }
}

extension StoreError {
    /// The error for invalid signed data inside a verified notification.
    ///
    /// The store sent the part, so the notification must be kept even if the part is forged or has an unknown form.
    /// Only errors that are independent of the part are passed on.
    fileprivate var asPartOfProvenData: StoreError {
        switch self.code {
        case .unavailable, .misconfigured, .rateLimited: self
        default: StoreError(.unreadable)
        }
    }
}
