import Foundation
import WalletClient

/// The refusals of the wallet in memory.
extension WalletProblem {
    static let classNotFound = WalletProblem(status: 404, slug: .classNotFound, title: "There is no such class")
    static let priceChanged = WalletProblem(status: 409, slug: .priceChanged, title: "The price has changed")
    static let paymentNotAccepted = WalletProblem(
        status: 409,
        slug: .paymentNotAccepted,
        title: "The class does not accept this payment method"
    )
    static let idempotencyKeyReused = WalletProblem(
        status: 422,
        slug: .idempotencyKeyReused,
        title: "The Idempotency-Key was already used for a different request"
    )

    static func alreadyBooked(_ id: UUID) -> WalletProblem {
        WalletProblem(
            status: 409,
            slug: .alreadyBooked,
            title: "The class is already booked",
            members: ["booking_id": .string(id.uuidString.lowercased())]
        )
    }

    static func classFull(_ session: ClassSession, requested: Int) -> WalletProblem {
        WalletProblem(
            status: 409,
            slug: .classFull,
            title: "The class is full",
            members: ["seats_left": .integer(Int64(session.seatsLeft)), "seats_requested": .integer(Int64(requested))]
        )
    }

    /// Returns the 402 problem with the packs that cover the missing credits, cheapest first.
    static func insufficientCredits(_ contents: InMemoryWallet.Contents, cost: Int64) throws -> WalletProblem {
        let available = contents.balance.credits
        let needed = cost - available
        let packs = contents.packs.filter { $0.unit == .credit && $0.totalCredits >= needed }
            .sorted { $0.price.amount < $1.price.amount }
            .map(InsufficientCredits.PackOffer.init)
        let shortage = InsufficientCredits.Shortage(
            unit: .credit,
            required: cost,
            available: available,
            needed: needed
        )
        let members = InsufficientCredits(
            unit: .credit,
            required: cost,
            available: available,
            needed: needed,
            shortages: [shortage],
            offers: InsufficientCredits.Offers(packs: packs)
        )
        return WalletProblem(
            status: 402,
            slug: .insufficientCredits,
            title: "The balance is too low for the booking",
            detail: "You need \(needed) more credits.",
            members: try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(members))
        )
    }
}

extension InsufficientCredits.PackOffer {
    fileprivate init(_ pack: Pack) {
        self.init(
            productID: pack.productID,
            name: pack.name,
            unit: pack.unit,
            totalCredits: pack.totalCredits,
            bonusCredits: pack.bonusCredits,
            quantity: 1,
            totalPrice: pack.price,
            price: pack.price,
            pricePerCredit: pack.pricePerCredit,
            savingsPercentage: pack.savingsPercentage,
            isPopular: pack.isPopular,
            storeIDs: pack.storeIDs
        )
    }
}
