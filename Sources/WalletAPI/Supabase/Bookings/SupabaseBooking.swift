import Hummingbird
import Wallet

/// What an app asks to book: a class and who comes.
struct SupabaseBooking: Decodable, Sendable {
    /// A person who comes; nothing of theirs is kept.
    struct Attendee: Decodable, Sendable {
        let name: String?
        let email: String?
    }

    let classID: String
    let attendees: [Attendee]

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case attendees
    }

    /// Returns what is booked: a seat for each of those who come.
    ///
    /// - Parameters:
    ///   - payWith: What it is to be paid in; nil lets the wallet choose.
    ///   - needsEmail: Whether each of them must have an address.
    /// - Returns: The booking to make; a replay is recognised by its class and seats.
    /// - Throws: ``Problem`` 400 `malformed-request` or `invalid-attendee`.
    func booking(payWith: String?, needsEmail: Bool) throws -> NewBooking {
        guard (1...100).contains(self.attendees.count) else {
            throw Problem.member("attendees", "must hold 1 to 100 people; received \(self.attendees.count)")
        }
        for attendee in self.attendees {
            guard Self.isSaid(attendee.name), !needsEmail || Self.isSaid(attendee.email) else {
                throw Problem(
                    .badRequest,
                    "invalid-attendee",
                    needsEmail ? "Each attendee must have a name and an email." : "Each attendee must have a name."
                )
            }
        }
        return try NewBooking(classID: self.classID, seats: self.attendees.count, payWith: payWith).checked()
    }

    private static func isSaid(_ text: String?) -> Bool {
        text?.contains { !$0.isWhitespace } ?? false
    }
}
