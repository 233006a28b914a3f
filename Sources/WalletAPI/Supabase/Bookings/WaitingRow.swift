import Foundation
import Wallet

/// A waitlist entry in the format of the apps' booking list; it has an id but is not a booking yet.
struct WaitingRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let userID: String
    let classID: String
    let classTitle: String
    let classDate: Date
    let startsAt: Date
    let status = "waitlisted"
    let attendeesCount: Int
    let waitlistPosition: Int
    let waitlistJoinedAt: Date
    let canCancel = false
    let canReview = false
    let createdAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case userID = "user_id"
        case classID = "class_id"
        case classTitle = "class_title"
        case classDate = "class_date"
        case startsAt = "starts_at"
        case status
        case attendeesCount = "attendees_count"
        case waitlistPosition = "waitlist_position"
        case waitlistJoinedAt = "waitlist_joined_at"
        case canCancel = "can_cancel"
        case canReview = "can_review"
        case createdAt = "created_at"
    }

    init(_ place: WaitlistPlace, of user: UserID) {
        self._id = WireUUID(wrappedValue: SupabaseText.id(of: "waitlist:\(place.classID):\(user.rawValue)"))
        self.userID = user.rawValue
        self.classID = place.classID
        self.classTitle = place.classTitle
        self.classDate = place.startsAt
        self.startsAt = place.startsAt
        self.attendeesCount = place.seats
        self.waitlistPosition = place.place
        self.waitlistJoinedAt = place.joinedAt
        self.createdAt = place.joinedAt
    }
}
