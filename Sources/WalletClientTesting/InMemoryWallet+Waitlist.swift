import Foundation
public import WalletClient

extension InMemoryWallet {
    /// Joins the waitlist of a full class; the place is always 1, because this wallet has one user.
    public func joinWaitlist(
        of classID: String,
        seats: Int,
        payWith: PaymentMethod?,
        maxAmount: Int64?
    ) throws -> WaitlistPlace {
        let session = try self.classSession(classID)
        if let place = self.contents.waitlist.first(where: { $0.classID == classID }) { return place }
        guard session.seatsLeft < seats else {
            throw WalletProblem(status: 409, slug: .seatsAvailable, title: "The class has free seats")
        }
        let place = WaitlistPlace(
            classID: classID,
            classTitle: session.title,
            startsAt: session.startsAt,
            seats: seats,
            place: 1,
            joinedAt: Date()
        )
        self.update { $0.waitlist.append(place) }
        return place
    }

    /// Leaves the waitlist of a class.
    public func leaveWaitlist(of classID: String) throws {
        _ = try self.answer()
        self.update { $0.waitlist.removeAll { $0.classID == classID } }
    }
}
