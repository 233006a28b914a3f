import Postgres
import Testing

@testable import Wallet

/// Tests the position up to which a request has seen the books; its next read must not be older.
@Suite struct ReadSessionTests {
    private static let start = WALPosition(timeline: 1, bytes: 100)
    private static let later = WALPosition(timeline: 1, bytes: 200)

    @Test func `a read is never older than an earlier read of the same request`() {
        let session = ReadSession(after: Self.start.text, isRead: true)
        #expect(session.position == Self.start)
        session.noteSeen(Self.later)
        #expect(session.position == Self.later)
        session.noteSeen(Self.start)
        #expect(session.position == Self.later)
    }

    @Test func `after a read from the primary, the request reads only from the primary`() {
        let session = ReadSession(after: Self.start.text, isRead: true)
        session.notePrimary()
        #expect(session.position == nil)
        #expect(session.askedPrimary)
    }

    @Test func `a request that writes reads from the primary`() {
        #expect(ReadSession(after: Self.start.text, isRead: false).position == nil)
        #expect(ReadSession(after: Standbys.latest, isRead: true).position == nil)
    }
}
