import Foundation
import Testing

@testable import WalletAPI

/// Tests that proofs lose the same surrounding characters as with Foundation's method, which takes much longer.
@Suite struct TrimmingTests {
    @Test(arguments: [
        "", "\n", " \t\r\n\u{85}\u{A0}\u{2028}\u{3000}", "eyJ", " eyJ", "eyJ\r\n", "\n\n eyJ.a b\tc \u{2029}",
        "\u{200B}x", "e\u{301} ", " \u{301}e", "👩‍👧 \u{FEFF}",
    ])
    func `a text loses what Foundation removes`(text: String) {
        #expect(Array(text.trimmed.utf8) == Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
    }
}
