import Foundation

/// A class of a load, as `PUT /operator/classes/{id}` takes it.
struct StagedClass: Encodable, Sendable {
    struct Price: Encodable, Sendable {
        let credits: Int
    }

    let title = "Load test"
    let startsAt: Date
    let endsAt: Date
    let capacity = 100_000
    let price = Price(credits: 1)

    init(startsAt: Date) {
        self.startsAt = startsAt
        self.endsAt = startsAt.addingTimeInterval(3_600)
    }
}

/// The credits of a user of a load, as `POST /operator/adjustments` takes them.
struct StagedCredits: Encodable, Sendable {
    let userID: String
    let unit = "credit"
    let amount: Int
    let reason = "load test"
    let reference: String
    let newUser = true

    private enum CodingKeys: String, CodingKey {
        case userID = "userId"
        case unit, amount, reason, reference, newUser
    }
}
