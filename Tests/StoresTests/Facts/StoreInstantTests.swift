import Foundation
import Testing

@testable import Stores

/// Tests of instants in the stores' formats.
@Suite struct StoreInstantTests {
    @Test(arguments: [
        "2027-02-29T10:00:00Z", "2026-02-30T00:00:00.000Z", "2026-11-21T24:00:00Z", "2026-11-21T10:61:00Z",
        "2026-11-21T10:00:60Z", "2026-11-21T10:00:00", "2026-11-21",
    ])
    func `an instant that does not exist is unreadable and not adjusted`(text: String) throws {
        #expect(Date(storeInstant: text) == nil)
        let document = try StoreDocument(parsing: Data(#"{"at":"\#(text)"}"#.utf8))
        let error = #expect(throws: StoreError.self) { try document.instant("at") }
        #expect(error?.code == .unreadable)
    }

    @Test(
        arguments: [
            ("2026-11-21T01:31:00Z", 1_795_224_660_000), ("2026-11-21T01:31:00.5Z", 1_795_224_660_500),
            ("2026-11-21T01:31:00.123999999Z", 1_795_224_660_123),
            ("2026-11-21T02:31:00.000000000+01:00", 1_795_224_660_000),
            ("1969-12-31T23:59:59.250Z", -750), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ] as [(String, Int64)]
    )
    func `fractions of any length are read to the millisecond`(text: String, milliseconds: Int64) throws {
        let instant = try #require(Date(storeInstant: text))
        #expect(instant.millisecondsSince1970 == milliseconds)
        #expect(Date(storeInstant: instant.storeInstant) == instant)
    }
}
