/// How far a server has written its log, or replayed its primary's: what was committed before is visible from there on.
///
/// Positions grow for as long as a cluster lives. A promotion begins another timeline, whose positions all come after
/// those of the one before; so a standby of a primary that was given up does not count as far as one that follows the
/// new one.
public struct WALPosition: Comparable, Hashable, Sendable {
    /// How many promotions and restorations the server has behind it, and one.
    public let timeline: Int32
    /// Bytes since the beginning of the log.
    public let bytes: Int64

    /// Makes a position.
    ///
    /// - Parameters:
    ///   - timeline: The timeline that the server is on.
    ///   - bytes: Bytes since the beginning of the log.
    public init(timeline: Int32, bytes: Int64) {
        self.timeline = timeline
        self.bytes = bytes
    }

    /// Reads a position as ``text`` writes it.
    ///
    /// - Parameter text: 24 hexadecimal digits; nil for anything else.
    public init?(text: String) {
        guard
            text.utf8.count == 24,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }),
            let timeline = Int32(text.prefix(8), radix: 16),
            let bytes = Int64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(timeline: timeline, bytes: bytes)
    }

    /// The position as 24 hexadecimal digits: the later of two positions has the greater text.
    public var text: String {
        Self.digits(self.timeline, 8) + Self.digits(self.bytes, 16)
    }

    /// Compares where two positions stand in the life of a cluster.
    public static func < (left: WALPosition, right: WALPosition) -> Bool {
        (left.timeline, left.bytes) < (right.timeline, right.bytes)
    }

    private static func digits(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: width - digits.count) + digits
    }
}

extension WALPosition {
    /// Asks a server how far it is: a standby what it has replayed and received, a primary twice what it has written.
    ///
    /// A commit is visible on a standby an instant before it counts as replayed; so only what was received says from
    /// where on all is visible that a standby has shown. No row where it has replayed what it did not receive, as from
    /// an archive. A standby says late, after its next restartpoint, that it follows to another timeline; until then it
    /// counts as behind.
    ///
    /// A primary says where its next record will begin, which is behind the header of a page or segment that has none
    /// yet; what a standby has replayed ends before that header.
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
