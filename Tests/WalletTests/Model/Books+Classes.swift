import Foundation
import Wallet

/// A class with its seats in each environment.
struct ModelClass {
    var startsAt: Date
    var capacity: Int
    var price: SeatPrice
    var freeMinutesBefore: Int
    var sold: [WalletEnvironment: Int] = [:]

    var freeUntil: Date { self.startsAt.addingTimeInterval(Double(-self.freeMinutesBefore) * 60) }
}

/// What an operator asked under a key.
struct ModelClassRequest: Equatable {
    var classID: String
    var definition: ClassDefinition
}

extension Books {
    /// Makes or changes a class, once per key; seats that are sold cannot be taken away.
    mutating func putClass(_ id: String, _ definition: ClassDefinition, key: String) -> Result<ModelClass, ModelRefusal>
    {
        let request = ModelClassRequest(classID: id, definition: definition)
        if let known = self.operatorRequests[key] {
            guard known == request, let session = self.classes[id] else {
                return .failure(ModelRefusal(status: 422, slug: "idempotency-key-reused"))
            }
            return .success(session)
        }
        let sold = self.classes[id]?.sold ?? [:]
        let most = sold.values.max() ?? 0
        if definition.capacity < most {
            let members = ["seats_sold": "\(most)", "capacity": "\(definition.capacity)"]
            return .failure(ModelRefusal(status: 409, slug: "capacity-below-sold", members: members))
        }
        let session = ModelClass(
            startsAt: definition.startsAt,
            capacity: definition.capacity,
            price: definition.price,
            freeMinutesBefore: definition.cancellation?.freeMinutesBefore ?? 1_440,
            sold: sold
        )
        self.operatorRequests[key] = request
        self.classes[id] = session
        return .success(session)
    }
}
