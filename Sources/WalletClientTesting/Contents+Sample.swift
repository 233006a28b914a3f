import Foundation
public import WalletClient

extension InMemoryWallet.Contents {
    /// 30 credits, two packs, a class of 20 credits, one of 50 and one that is full.
    public static var sample: Self {
        Self(
            balance: Self.balance(credits: 30),
            packs: [
                Self.pack("starter", "Starter", credits: 25, price: 49),
                Self.pack("explorer", "Explorer", credits: 50, price: 89),
            ],
            classes: [
                Self.session("pottery", "Pottery", hours: 48, credits: 20, seatsLeft: 6),
                Self.session("glass", "Glass blowing", hours: 72, credits: 50, seatsLeft: 2),
                Self.session("ceramics", "Ceramics", hours: 96, credits: 20, seatsLeft: 0),
            ]
        )
    }

    /// Returns a pack of credits.
    /// - Parameters:
    ///   - id: its product id, also in the App Store.
    ///   - name: the name to show.
    ///   - credits: how many it grants.
    ///   - price: its price in USD.
    /// - Returns: the pack.
    public static func pack(_ id: String, _ name: String, credits: Int64, price: Int) -> Pack {
        let amount = Decimal(price)
        return Pack(
            productID: id,
            name: name,
            description: "\(credits) credits.",
            unit: .credit,
            credits: credits,
            bonusCredits: 0,
            totalCredits: credits,
            price: Money(amount: amount, currency: "USD"),
            pricePerCredit: amount / Decimal(credits),
            savingsPercentage: 0,
            isPopular: false,
            displayOrder: 0,
            storeIDs: StoreIDs(appStore: id)
        )
    }

    /// Returns a class of an hour.
    /// - Parameters:
    ///   - id: its id.
    ///   - title: the name to show.
    ///   - hours: in how many hours it begins.
    ///   - credits: what a seat costs.
    ///   - seatsLeft: how many of its 8 seats can be booked.
    /// - Returns: the class.
    public static func session(
        _ id: String,
        _ title: String,
        hours: Double,
        credits: Int64,
        seatsLeft: Int
    ) -> ClassSession {
        let start = Date(timeIntervalSinceNow: hours * 3_600)
        return ClassSession(
            classID: id,
            title: title,
            startsAt: start,
            endsAt: start.addingTimeInterval(3_600),
            capacity: 8,
            seatsLeft: seatsLeft,
            price: ClassSession.Price(credits: credits),
            status: .scheduled
        )
    }
}
