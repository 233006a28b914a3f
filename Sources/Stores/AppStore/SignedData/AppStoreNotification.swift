import Foundation
import JOSE

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
        CompactJWS.payload(of: signed) == Data("null".utf8)
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

/// The effect of a notification type on the ledger.
private enum NotificationMeaning {
    /// The notification reports a change of a transaction, with this occasion.
    case transaction(StoreFact.Occasion)
    /// The notification has no effect, for this reason.
    case nothing(String)

    /// Returns the effect of a notification.
    ///
    /// An unknown type is never applied, even if it carries a transaction. Its meaning could contradict the transaction
    /// alone, as a reversed refund does.
    init(_ type: NotificationType, _ subtype: NotificationSubtype?, hasData: Bool) {
        switch type {
        case .test: self = .nothing("test")
        case .externalPurchaseToken: self = .nothing("purchase outside the store")
        case .rescindConsent: self = .nothing("consent to the app was withdrawn")
        case .metadataUpdate, .migration, .priceChange: self = .nothing("says nothing of a payment")
        case .renewalExtension where !hasData: self = .nothing("summary")
        default:
            guard let occasion = Self.occasion(of: type, subtype) else {
                self = .nothing("unknown type")
                return
            }
            self = .transaction(occasion)
        }
    }

    private static func occasion(of type: NotificationType, _ subtype: NotificationSubtype?) -> StoreFact.Occasion? {
        switch type {
        case .refund, .refundReversed: .refund
        case .expired, .gracePeriodExpired: .expiration
        case .didFailToRenew: .billingIssue
        case .didChangeRenewalStatus: subtype == .autoRenewEnabled ? .uncancellation : .cancellation
        case .subscribed, .didRenew, .didChangeRenewalPreference, .offerRedeemed, .priceIncrease, .refundDeclined,
            .consumptionRequest, .renewalExtended, .renewalExtension, .revoke, .oneTimeCharge:
            .renewal
        default: nil
        }
    }
}

/// Turns a verified notification and its verified transaction into a fact.
private struct NotificationReading {
    let type: NotificationType
    let subtype: NotificationSubtype?
    let occasion: StoreFact.Occasion
    let signedAt: Date
    let transaction: SignedTransaction
    let renewal: SignedRenewalInfo?

    /// Returns the transaction's fact with the renewal flags, the type's meaning and the date of the notification.
    ///
    /// The notification's date applies to all data in it: the store requires that the last signed of several
    /// notifications about one transaction wins.
    /// - Throws: ``StoreError`` with `unreadable`.
    func fact() throws(StoreError) -> StoreFact {
        var fact = try self.transaction.fact(source: .notification)
        self.renewal?.overlay(on: &fact)
        fact.sourceAt = self.signedAt
        fact.occasion = self.occasion
        try self.addMeaning(to: &fact)
        return fact
    }

    private func addMeaning(to fact: inout StoreFact) throws(StoreError) {
        switch self.type {
        case .refund: try self.addRefund(to: &fact)
        case .refundReversed: self.addReversal(to: &fact)
        case .revoke: fact.revoked = true
        case .expired where fact.kind == .subscription: self.addExpiry(to: &fact)
        case .gracePeriodExpired, .didFailToRenew: fact.billingIssue = true
        case .didChangeRenewalStatus: self.addRenewalStatus(to: &fact)
        default: break
        }
    }

    /// The type alone proves a refund; the transaction may omit its share and its date.
    private func addRefund(to fact: inout StoreFact) throws(StoreError) {
        fact.refundedMillionths = try self.transaction.revokedMillionths()
        fact.refundedAt = self.transaction.payload.revocationDate ?? self.signedAt
    }

    /// The transaction may still contain the reversed revocation.
    private func addReversal(to fact: inout StoreFact) {
        fact.refundedMillionths = 0
        fact.refundedAt = nil
        if fact.revoked != nil { fact.revoked = false }
    }

    /// A subscription ends with its paid period, even if the store reports the end late.
    private func addExpiry(to fact: inout StoreFact) {
        fact.expiredAt = fact.expiresAt
    }

    /// For a commitment that is billed in parts, the renewal status applies to the next commitment.
    private func addRenewalStatus(to fact: inout StoreFact) {
        switch self.subtype {
        case .autoRenewEnabled where fact.commitment != nil: fact.commitmentRenews = true
        case .autoRenewDisabled where fact.commitment != nil: fact.commitmentRenews = false
        case .autoRenewEnabled: fact.willRenew = true
        case .autoRenewDisabled: fact.willRenew = false
        default: fact.occasion = fact.willRenew == true ? .uncancellation : .cancellation
        }
    }
}
