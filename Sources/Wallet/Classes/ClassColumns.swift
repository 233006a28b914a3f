import Foundation

/// A class in the columns of `admin.classes`.
struct ClassColumns: Encodable {
    let definition: ClassDefinition

    private enum CodingKeys: String, CodingKey {
        case title, capacity
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case priceCredits = "price_credits"
        case priceVisits = "price_visits"
        case freeMinutesBefore = "free_minutes_before"
        case maxSeats = "max_seats"
        case daysAhead = "days_ahead"
        case opensMinutesBefore = "opens_minutes_before"
        case closesMinutesBefore = "closes_minutes_before"
        case maxOverlaps = "max_overlaps"
        case waitlistCutoffMinutes = "waitlist_cutoff_minutes"
    }

    func encode(to encoder: any Encoder) throws {
        let instant = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let limits = self.definition.limits
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.definition.title, forKey: .title)
        try container.encode(self.definition.capacity, forKey: .capacity)
        try container.encode(self.definition.startsAt.formatted(instant), forKey: .startsAt)
        try container.encode(self.definition.endsAt.formatted(instant), forKey: .endsAt)
        try container.encodeIfPresent(self.definition.price.credits, forKey: .priceCredits)
        try container.encodeIfPresent(self.definition.price.visits, forKey: .priceVisits)
        try container.encodeIfPresent(self.definition.cancellation?.freeMinutesBefore, forKey: .freeMinutesBefore)
        try container.encodeIfPresent(limits?.maxSeats, forKey: .maxSeats)
        try container.encodeIfPresent(limits?.daysAhead, forKey: .daysAhead)
        try container.encodeIfPresent(limits?.opensMinutesBefore, forKey: .opensMinutesBefore)
        try container.encodeIfPresent(limits?.closesMinutesBefore, forKey: .closesMinutesBefore)
        try container.encodeIfPresent(limits?.maxOverlaps, forKey: .maxOverlaps)
        try container.encodeIfPresent(self.definition.waitlist?.cutoffMinutes, forKey: .waitlistCutoffMinutes)
    }
}
