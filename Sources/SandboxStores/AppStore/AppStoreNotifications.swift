import Foundation
import JSON

extension AppStoreWriter {
    /// The writer of App Store Server Notifications V2.
    var notifications: NotificationWriter {
        NotificationWriter(source: .appStore) { happening in
            guard let type = AppStoreNotificationType(happening) else { return [] }
            return [try self.notification(type, of: happening)]
        }
    }

    private func notification(
        _ type: AppStoreNotificationType,
        of happening: SandboxEvent
    ) throws -> NotificationDraft {
        let id = UUID().uuidString.lowercased()
        var payload: [String: JSONValue] = [
            "notificationType": .text(type.name),
            "notificationUUID": .text(id),
            "version": .text("2.0"),
            "signedDate": .milliseconds(happening.at),
            "data": .object(try self.data(of: happening)),
        ]
        if let subtype = type.subtype { payload["subtype"] = .text(subtype) }
        let body = try JSONEncoder().encode(["signedPayload": self.signer.sign(payload)])
        return NotificationDraft(id: id, type: type.description, body: body)
    }

    private func data(of happening: SandboxEvent) throws -> [String: JSONValue] {
        let transaction = happening.transaction
        var data: [String: JSONValue] = [
            "bundleId": .text(transaction.bundleID),
            "bundleVersion": .text("1"),
            "environment": Self.name(of: transaction.environment),
            "signedTransactionInfo": .text(try self.signedTransaction(transaction, at: happening.at)),
        ]
        if transaction.environment == .production { data["appAppleId"] = .integer(self.appAppleID) }
        if happening.kind == .consumptionRequested { data["consumptionRequestReason"] = .text("UNINTENDED_PURCHASE") }
        if let chain = happening.chain, let newest = happening.state.periods(of: transaction.originalID).last {
            data["signedRenewalInfo"] = .text(try self.signedRenewal(chain, of: newest, at: happening.at))
            data["status"] = .integer(Self.status(chain, of: newest, at: happening.at))
        }
        return data
    }
}

/// The type and subtype of an App Store notification.
struct AppStoreNotificationType: CustomStringConvertible {
    let name: String
    let subtype: String?

    var description: String { self.subtype.map { "\(self.name).\($0)" } ?? self.name }

    private init(_ name: String, _ subtype: String? = nil) {
        self.name = name
        self.subtype = subtype
    }

    /// Creates the type of an event; nil for an event that the App Store does not report.
    init?(_ happening: SandboxEvent) {
        guard let type = Self.lifeOfSubscription(happening) ?? Self.moneyMatter(happening) else { return nil }
        self = type
    }

    private static func lifeOfSubscription(_ happening: SandboxEvent) -> Self? {
        switch happening.kind {
        case .resubscribed: Self("SUBSCRIBED", "RESUBSCRIBE")
        case .renewed: Self("DID_RENEW")
        case .recovered: Self("DID_RENEW", "BILLING_RECOVERY")
        case .renewalTurnedOff: Self("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
        case .renewalTurnedOn: Self("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED")
        case .billingIssue:
            Self("DID_FAIL_TO_RENEW", happening.chain?.graceEndsAt == nil ? nil : "GRACE_PERIOD")
        case .graceEnded: Self("GRACE_PERIOD_EXPIRED")
        case .expired: Self("EXPIRED", happening.chain?.expiredReason == .billing ? "BILLING_RETRY" : "VOLUNTARY")
        case .upgraded: Self("DID_CHANGE_RENEWAL_PREF", "UPGRADE")
        case .downgradePlanned:
            Self("DID_CHANGE_RENEWAL_PREF", happening.chain?.nextProductID == nil ? nil : "DOWNGRADE")
        default: nil
        }
    }

    private static func moneyMatter(_ happening: SandboxEvent) -> Self? {
        switch happening.kind {
        case .purchased:
            happening.transaction.kind == .subscription
                ? Self("SUBSCRIBED", "INITIAL_BUY") : Self("ONE_TIME_CHARGE")
        case .refunded: Self("REFUND")
        case .refundReversed: Self("REFUND_REVERSED")
        case .revoked: Self("REVOKE")
        case .consumptionRequested: Self("CONSUMPTION_REQUEST")
        default: nil
        }
    }
}
