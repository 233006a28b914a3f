import Foundation
public import WalletClient

extension InMemoryWallet.Contents {
    /// Sample contents: 30 credits, two packs, a class for 20 credits, a class for 50 and a full class.
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
    ///   - id: The product id in the catalogue and in the App Store.
    ///   - name: The name to show.
    ///   - credits: The number of credits that the pack grants.
    ///   - price: The price in USD.
    /// - Returns: The pack.
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

    /// Returns a class that lasts an hour and has 8 seats.
    /// - Parameters:
    ///   - id: The class's id.
    ///   - title: The name to show.
    ///   - hours: The number of hours until the start.
    ///   - credits: The price of one seat in credits.
    ///   - seatsLeft: The number of seats that can be booked.
    /// - Returns: The class.
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
