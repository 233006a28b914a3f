import Foundation
import Testing

@testable import Stores

@Suite
struct StoreRetryAfterTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        ("37", 37), (" 37 ", 37), ("0", 1), ("86400", 3_600), ("1800000012000", 12), ("1800000012001", 13),
        ("1799999999000", 1), ("1900000000000", 3_600),
    ])
    func `Retry-After may be seconds or an instant`(text: String, seconds: Int) {
        #expect(StoreRetryAfter(text, now: self.now)?.seconds == seconds)
    }

    @Test(arguments: ["", "soon", "-5", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999"])
    func `an invalid Retry-After is ignored`(text: String) {
        #expect(StoreRetryAfter(text, now: self.now) == nil)
    }
}
