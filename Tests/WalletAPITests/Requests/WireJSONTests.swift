import Foundation
import Testing
import Wallet

@testable import WalletAPI

/// Tests of instants in responses.
@Suite struct WireJSONTests {
    @Test func `an instant is written as by Foundation, truncated to whole seconds`() {
        var generator = SystemRandomNumberGenerator()
        var instants: [Double] = [
            0, 0.999_999, 951_782_399, 951_782_400, 1_709_164_800, 4_107_542_399, 253_402_300_799,
        ]
        for _ in 0..<20_000 { instants.append(.random(in: 0..<253_402_300_800, using: &generator)) }
        for seconds in instants {
            let date = Date(timeIntervalSince1970: seconds)
            let expected = Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601)
            #expect(WireJSON.text(date) == expected)
        }
    }

    @Test func `an instant outside four-digit years is written by Foundation`() {
        for seconds in [-1.0, -62_135_596_800, 253_402_300_800] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(WireJSON.text(date) == date.formatted(.iso8601))
        }
    }
}
