import Foundation
import Testing

@testable import Wallet
@testable import WalletAPI

/// Tests that the hand-written response encoding matches that of `JSONEncoder`.
@Suite struct BookingAnswerTests {
    private static let titles = ["Yoga", "Pilates & \"Stretch\"", "Über/flow \\ 🧘", "line\nbreak\u{7F}\u{2028}", ""]

    @Test(arguments: titles) func `a booking is encoded as by JSONEncoder`(title: String) throws {
        for unit in [CreditUnit.credit, .visit, nil] {
            for cancelled in [false, true] {
                let receipt = BookingReceipt(
                    booking: Self.booking(title, unit, cancelled),
                    balance: BalanceSummary(credits: 12, visits: 0, version: 9_000_000_000),
                    replayed: false
                )
                let expected = String(decoding: try WireJSON.encoder.encode(receipt), as: UTF8.self)
                #expect(String(decoding: try receipt.json().bytes, as: UTF8.self) == expected)
            }
        }
    }

    private static func booking(_ title: String, _ unit: CreditUnit?, _ cancelled: Bool) -> Booking {
        let at = Date(timeIntervalSince1970: 1_795_000_000.75)
        let slices = [LotSlice(lotID: UUID(), amount: 2), LotSlice(lotID: UUID(), amount: 1)]
        return Booking(
            bookingID: UUID(),
            classID: "yoga.1:a_b-c",
            classTitle: title,
            startsAt: at,
            status: cancelled ? "cancelled" : "booked",
            seats: 3,
            unit: unit,
            amount: unit == nil ? 0 : 3,
            slices: unit == nil ? [] : slices,
            confirmationCode: "HB12345678",
            cancellation: Booking.Cancellation(freeUntil: at, freeMinutesBefore: 1_440),
            createdAt: at,
            cancelledAt: cancelled ? at : nil,
            lateCancel: cancelled,
            cancelledBy: cancelled ? "studio" : nil,
            returned: cancelled ? Booking.Returned(unit: unit, amount: 0) : nil,
            moved: cancelled,
            fromWaitlist: !cancelled
        )
    }
}
