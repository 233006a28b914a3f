import Hummingbird
import Wallet

/// An app's request for a booking: a class and the attendees.
struct SupabaseBooking: Decodable, Sendable {
    /// An attendee; the wallet does not store the attendee's data.
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

    /// Returns the booking to make, with one seat for each attendee.
    ///
    /// - Parameters:
    ///   - payWith: The means of payment; nil lets the wallet choose.
    ///   - needsEmail: A Boolean value that indicates whether each attendee must have an email address.
    /// - Returns: The booking to make; a replay is recognised by its class and seats.
    /// - Throws: ``Problem`` 400 `malformed-request` or `invalid-attendee`.
    func booking(payWith: String?, needsEmail: Bool) throws -> NewBooking {
        guard (1...100).contains(self.attendees.count) else {
            throw Problem.member("attendees", "must have 1 to 100 people; received \(self.attendees.count)")
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
