import Foundation

/// The body of `PUT /operator/classes/{id}` for a class of the load.
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

/// The body of `POST /operator/adjustments` for the credits of a user of the load.
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
