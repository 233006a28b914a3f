import Foundation
import Testing
import Wallet

/// Tests which texts identify the same user: PostgreSQL compares them byte by byte, except for the case of a UUID.
@Suite struct UserIDTests {
    private static let lower = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"

    @Test func `a UUID identifies one user in upper, lower and mixed case`() {
        let mixed = "6F9619ff-8b86-4D01-b42d-00cf4fc964FF"
        let users = [Self.lower, Self.lower.uppercased(), mixed].map(UserID.init(rawValue:))
        #expect(Set(users).count == 1)
        #expect(users.allSatisfy { $0 == users[0] && $0.rawValue == Self.lower })
    }

    @Test(arguments: [
        "auth0|6F9619FF-8B86-4D01-B42D-00CF4FC964FF", "{6F9619FF-8B86-4D01-B42D-00CF4FC964FF}",
        "6F9619FF8B864D01B42D00CF4FC964FF", "6F9619FF-8B86-4D01-B42D-00CF4FC964F",
        "6F9619FF-8B86-4D01-B42D-00CF4FC964FG",
        "6F9619FF-8B864-D01-B42D-00CF4FC964FF", "6F9619FF-8B86-4D01-B42D-00CF4FC9\u{FF16}4", "Anna",
        "$RCAnonymousID:6F9619FF8B864D01B42D00CF4FC964FF", "",
    ])
    func `any other text is unchanged`(text: String) {
        #expect(UserID(rawValue: text).rawValue == text)
    }

    @Test(arguments: [("us\u{E9}r", "use\u{301}r"), ("K", "\u{212A}"), ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}")])
    func `two texts that only look alike identify two users`(one: String, other: String) {
        // Swift compares the two strings as equal.
        #expect(one == other)
        let (one, other) = (UserID(rawValue: one), UserID(rawValue: other))
        #expect((one == other) == false)
        #expect((one != other) == true)
        #expect(Set([one, other]).count == 2)
        #expect([one: 1, other: 2][one] == 1)
    }

    @Test func `an external system that compares ids exactly may have a UUID in upper case`() {
        #expect(UserID(rawValue: Self.lower.uppercased()).spellings == [Self.lower, Self.lower.uppercased()])
        #expect(UserID(rawValue: "Anna").spellings == ["Anna"])
        #expect(UserID(rawValue: "12345678-1234-4234-8234-123456789012").spellings.count == 1)
    }
}
