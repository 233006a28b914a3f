/// A position in a cluster's write-ahead log.
///
/// A server has written its log, or a standby has replayed it, up to a position. Transactions committed before the
/// position are visible on every server that has reached it.
///
/// Positions only grow during the life of a cluster. A promotion starts a new timeline, and all of its positions are
/// greater than those of the previous timeline. So a standby of an abandoned primary counts as behind a standby that
/// follows the new primary.
public struct WALPosition: Comparable, Hashable, Sendable {
    /// One plus the number of promotions and restores in the server's history.
    public let timeline: Int32
    /// The number of bytes since the beginning of the log.
    public let bytes: Int64

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - timeline: The server's timeline.
    ///   - bytes: The number of bytes since the beginning of the log.
    public init(timeline: Int32, bytes: Int64) {
        self.timeline = timeline
        self.bytes = bytes
    }

    /// Creates a position from its ``text``; returns `nil` for any other text.
    ///
    /// - Parameter text: 24 hexadecimal digits.
    public init?(text: String) {
        guard
            text.utf8.count == 24,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }),
            let timeline = Int32(text.prefix(8), radix: 16),
            let bytes = Int64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(timeline: timeline, bytes: bytes)
    }

    /// The position as 24 hexadecimal digits; texts sort in the same order as positions.
    public var text: String {
        Self.digits(self.timeline, 8) + Self.digits(self.bytes, 16)
    }

    /// Returns a Boolean value that indicates whether the first position comes before the second.
    public static func < (left: WALPosition, right: WALPosition) -> Bool {
        (left.timeline, left.bytes) < (right.timeline, right.bytes)
    }

    private static func digits(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}

extension WALPosition {
    /// Reads a server's positions: the replayed and received position of a standby, or twice the written position of a
    /// primary.
    ///
    /// On a standby, a commit becomes visible an instant before the replayed position includes it. So only the received
    /// position covers everything that a read on the standby may have shown. The query returns no row if the standby
    /// has replayed data that it did not receive, for example from an archive. A standby reports a change of timeline
    /// late, after its next restartpoint; until then it counts as behind.
    ///
    /// A primary reports the start of its next record. In a page or segment without records, that start lies after the
    /// page header (24 or 40 bytes), but the replayed position of a standby ends before the header. The query subtracts
    /// the header to make the two comparable.
    static let query: Query = """
        SELECT
            p.timeline, p.is_standby, p.replayed,
            CASE
                WHEN p.is_standby THEN p.received
                WHEN p.received % pg_size_bytes(current_setting('wal_segment_size')) = 40 THEN p.received - 40
                WHEN p.received % current_setting('wal_block_size')::bigint = 24 THEN p.received - 24
                ELSE p.received
            END AS received
        FROM (
            SELECT
                pg_is_in_recovery() AS is_standby,
                (
                    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END
                    - '0/0'
                )::bigint AS replayed,
                (
                    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_insert_lsn() END
                    - '0/0'
                )::bigint AS received,
                CASE
                    WHEN pg_is_in_recovery() THEN greatest(
                        (pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline
                    )
                    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
                END AS timeline
        ) AS p
        WHERE p.replayed <= p.received
        """
}
