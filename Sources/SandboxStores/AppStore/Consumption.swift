import Foundation
import Hummingbird
import JSON

extension SandboxStores {
    private struct Consent: Decodable {
        let customerConsented: Bool
    }

    private struct ConsumptionView: Encodable {
        let transactionId: String
        let at: String
        let body: String
    }

    private struct ConsumptionList: ResponseEncodable {
        let consumptions: [ConsumptionView]
    }

    /// Adds the endpoint that receives consumption reports of the app server.
    func addConsumption(of side: SandboxTransaction.Environment, to group: RouterGroup<SandboxContext>) {
        group.put("v2/transactions/consumption/:id") { request, context in
            let transaction = try await self.ledger.appStoreTransaction(context.id, on: side)
            let body = Data(try await request.body.collect(upTo: 65_536).readableBytesView)
            guard let consent = try? JSONDecoder().decode(Consent.self, external: body), consent.customerConsented
            else {
                throw ServerAPIError.invalidCustomerConsented
            }
            try await self.ledger.recordConsumption(String(decoding: body, as: UTF8.self), of: transaction.id)
            return HTTPResponse.Status.accepted
        }
    }

    /// Adds the control that lists the consumption reports.
    func addConsumptionControl(to router: Router<SandboxContext>) {
        router.get("sandbox/consumptions") { _, _ in
            ConsumptionList(
                consumptions: await self.ledger.state.consumptions.map {
                    ConsumptionView(transactionId: $0.transactionID, at: $0.at.formatted(.iso8601), body: $0.body)
                }
            )
        }
    }
}

extension SandboxLedger {
    /// Stores an app server's consumption report for a purchase.
    func recordConsumption(_ body: String, of id: String) throws {
        let consumption = SandboxConsumption(transactionID: id, at: self.now, body: body)
        try self.change { $0.consumptions.append(consumption) }
    }
}
