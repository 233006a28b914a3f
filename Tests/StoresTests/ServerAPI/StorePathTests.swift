import Testing

@testable import Stores

@Suite
struct StorePathTests {
    @Test(arguments: [
        ("2000000123456789", "2000000123456789"), ("GPA.3312-5", "GPA.3312-5"), ("a_b~c", "a_b~c"),
        ("../x", "..%2Fx"), ("a/b", "a%2Fb"), ("%2e%2e", "%252e%252e"), ("?x", "%3Fx"), ("a#b", "a%23b"),
        ("...", "..."),
        ("a\\b", "a%5Cb"), ("a b", "a%20b"), ("a;b=c&d", "a%3Bb%3Dc%26d"), ("é", "%C3%A9"),
        ("$RCAnonymousID:1", "%24RCAnonymousID%3A1"),
        ("\u{2024}\u{2024}", "%E2%80%A4%E2%80%A4"),
    ])
    func `every byte that could mean something is escaped`(text: String, segment: String) {
        #expect(StorePath.segment(text) == segment)
    }

    @Test(arguments: ["", ".", "..", "a\nb", "a\r\nHost: x", "\u{0}", "a\u{7F}", "a\u{85}", "a\tb"])
    func `an invalid id becomes no segment`(text: String) {
        #expect(StorePath.segment(text) == nil)
    }

    @Test
    func `the length limit counts bytes before escaping`() {
        #expect(StorePath.segment(String(repeating: "x", count: 1_500))?.count == 1_500)
        #expect(StorePath.segment(String(repeating: "/", count: 1_500))?.count == 4_500)
        #expect(StorePath.segment(String(repeating: "x", count: 1_501)) == nil)
        #expect(StorePath.segment(String(repeating: "é", count: 751)) == nil)
    }
}
