import Foundation

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
        var payload: [String: AppleJSON] = [
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

    private func data(of happening: SandboxEvent) throws -> [String: AppleJSON] {
        let transaction = happening.transaction
        var data: [String: AppleJSON] = [
            "bundleId": .text(transaction.bundleID),
            "bundleVersion": .text("1"),
            "environment": Self.name(of: transaction.environment),
            "signedTransactionInfo": .text(try self.signedTransaction(transaction, at: happening.at)),
        ]
        if transaction.environment == .production { data["appAppleId"] = .number(Int(self.appAppleID)) }
        if happening.kind == .consumptionRequested { data["consumptionRequestReason"] = .text("UNINTENDED_PURCHASE") }
        if let chain = happening.chain, let newest = happening.state.periods(of: transaction.originalID).last {
            data["signedRenewalInfo"] = .text(try self.signedRenewal(chain, of: newest, at: happening.at))
            data["status"] = .number(Self.status(chain, of: newest, at: happening.at))
        }
        return data
    }
}
