import Foundation

extension SignedDataVerifier {
    /// How far ahead of the wallet's clock a notification may be signed, in seconds.
    private static let tolerance: TimeInterval = 5 * 60

    /// Verifies a notification and the signed data in it, and reads what it says.
    ///
    /// The inner transaction is verified by itself and must be of the same app and the same side of the store; of one
    /// that is not, nothing is believed. Renewal information is verified alike: without it the transaction still counts,
    /// and the event says that a part could not be read. Types that say nothing of purchases, and unknown ones, come back
    /// as ignored with the reason.
    /// - Parameter signedPayload: the notification as the store signed it.
    /// - Returns: the event, with one statement at most.
    /// - Throws: ``StoreError`` with the codes of ``transaction(_:)`` for the notification itself. What the store signed
    ///   is `unreadable` where it does not name its app or its side, and whatever is wrong with the inner data; so is a
    ///   notification signed more than five minutes ahead of the wallet's clock, since it would hold against everything
    ///   that the store says until then.
    public func notification(_ signedPayload: String) async throws(StoreError) -> StoreEvent {
        let verified = try await self.verify(
            signedPayload,
            as: ResponseBodyV2DecodedPayload.self,
            maximumBytes: self.configuration.maximumNotificationBytes
        )
        let payload = verified.payload
        guard let identity = payload.identity, identity.bundleID != nil else {
            // Other signed data of the store, which is no notification, names no type.
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

    /// The side of the store; `unreadable` where one of our apps is named and no side that is known.
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

    /// Printable ASCII, 255 bytes at most: what goes into keys and logs.
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

    /// Signed data whose payload is `null`, as the store sends it where there is no renewal information.
    private static func saysNothing(_ signed: String) -> Bool {
        let parts = signed.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && Data(base64URL: parts[1]) == Data("null".utf8)
    }
}

extension StoreError {
    /// What is wrong with a part of signed data that is itself proven.
    ///
    /// Whether the part was forged or is of a form that nobody foresaw: the store sent it, and it must not be lost. Only
    /// what says nothing of the part is passed on.
    fileprivate var asPartOfProvenData: StoreError {
        switch self.code {
        case .unavailable, .misconfigured, .rateLimited: self
        default: StoreError(.unreadable)
        }
    }
}
