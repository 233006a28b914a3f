import Foundation
public import WalletClient

extension InMemoryWallet {
    /// Waits for seats of a full class; nobody else waits here.
    public func joinWaitlist(
        of classID: String,
        seats: Int,
        payWith: PaymentMethod?,
        maxAmount: Int64?
    ) throws -> WaitlistPlace {
        let session = try self.classSession(classID)
        if let place = self.contents.waitlist.first(where: { $0.classID == classID }) { return place }
        guard session.seatsLeft < seats else {
            throw WalletProblem(status: 409, slug: .seatsAvailable, title: "There are seats to book")
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

    /// Waits no longer for a class.
    public func leaveWaitlist(of classID: String) throws {
        _ = try self.answer()
        self.update { $0.waitlist.removeAll { $0.classID == classID } }
    }
}
