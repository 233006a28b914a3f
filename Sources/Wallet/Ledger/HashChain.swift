import Crypto
import Foundation
import Postgres

extension Wallet {
    /// Computes the hash of every ledger entry again, outside the database, and compares it with the stored hash.
    ///
    /// The invariant views do the same with the database's own function. This method detects changed entries even if
    /// that function was replaced. It reads the view `wallet.ledger_chain`, which auditors may read and the service may
    /// not.
    ///
    /// - Returns: The entries whose stored hash is wrong, at most 1,000.
    /// - Throws: ``WalletError`` if the database does not answer or refuses access.
    public func rehashedViolations() async throws -> [Violation] {
        var violations: [Violation] = []
        var last = ChainEntry.Place(accountID: 0, environment: .production, version: 0)
        while violations.count < 1_000 {
            let entries = try await self.entries(after: last)
            guard let end = entries.last else { break }
            violations += entries.filter { !$0.isGenuine }.map(\.violation)
            last = end.place
        }
        return Array(violations.prefix(1_000))
    }

    private func entries(after place: ChainEntry.Place) async throws -> [ChainEntry] {
        try await self.query(
            """
            SELECT
                e.account_id, e.environment::text AS environment, e.version, e.kind, e.unit::text AS unit, e.amount,
                e.owed_change, e.balance_after, e.lot_id, e.booking_id, e.claim_id, e.actor_digest, e.reason_digest,
                (extract(EPOCH FROM e.at - '2000-01-01T00:00:00Z') * 1000000)::bigint AS microseconds,
                e.prev_hash, e.hash
            FROM wallet.ledger_chain AS e
            WHERE (e.account_id, e.environment, e.version)
                > (\(place.accountID), \(place.environment.rawValue)::wallet.environment, \(place.version))
            ORDER BY e.account_id, e.environment, e.version
            LIMIT 1000
            """,
            ChainEntry.init
        )
    }
}

/// A ledger entry with its stored and its computed hash.
private struct ChainEntry {
    struct Place {
        let accountID: Int64
        let environment: WalletEnvironment
        let version: Int64
    }

    let place: Place
    private let carried: Data
    private let computed: SHA256.Digest

    init(_ row: Row) throws {
        self.place = Place(
            accountID: try row.decode("account_id"),
            environment: try row.decodeEnvironment("environment"),
            version: try row.decode("version")
        )
        self.carried = try row.decode("hash", as: Data.self)

        var fields = RecordEncoding()
        fields.append(try row.decode("prev_hash", as: Data.self))
        fields.append(self.place.accountID)
        fields.append(self.place.environment.rawValue)
        fields.append(self.place.version)
        fields.append(try row.decode("kind", as: String.self))
        fields.append(try row.decode("unit", as: String?.self))
        fields.append(try row.decode("amount", as: Int64.self))
        fields.append(try row.decode("owed_change", as: Int64.self))
        fields.append(try row.decode("balance_after", as: Int64.self))
        fields.append(try row.decode("lot_id", as: UUID?.self))
        fields.append(try row.decode("booking_id", as: UUID?.self))
        fields.append(try row.decode("claim_id", as: Int64?.self))
        fields.append(try row.decode("actor_digest", as: Data?.self))
        fields.append(try row.decode("reason_digest", as: Data?.self))
        fields.append(microsecondsSince2000: try row.decode("microseconds", as: Int64.self))
        self.computed = SHA256.hash(data: fields.bytes)
    }

    var isGenuine: Bool { self.computed == self.carried }

    var violation: Violation {
        Violation(
            invariant: "chain_hashes",
            environment: self.place.environment,
            accountID: self.place.accountID,
            version: self.place.version,
            detail: "entry does not match its hash, computed outside the database"
        )
    }
}

/// The bytes of a row in the format of PostgreSQL's `record_send`.
///
/// Each field has its type, length and content, so different rows always have different encodings.
private struct RecordEncoding {
    /// The OIDs of built-in types, which are the same in every release of PostgreSQL.
    private enum TypeNumber: UInt32 {
        case bytea = 17
        case bigint = 20
        case text = 25
        case timestamptz = 1_184
        case uuid = 2_950
    }

    private var count: UInt32 = 0
    private var fields: [UInt8] = []

    /// The complete row.
    var bytes: [UInt8] { Self.bigEndian(self.count) + self.fields }

    mutating func append(_ value: Data?) {
        self.append(.bytea, value.map(Array.init))
    }

    mutating func append(_ value: Int64?) {
        self.append(.bigint, value.map(Self.bigEndian))
    }

    mutating func append(_ value: String?) {
        self.append(.text, value.map { Array($0.utf8) })
    }

    mutating func append(_ value: UUID?) {
        self.append(.uuid, value.map { uuid in withUnsafeBytes(of: uuid.uuid, Array.init) })
    }

    mutating func append(microsecondsSince2000 value: Int64) {
        self.append(.timestamptz, Self.bigEndian(value))
    }

    private mutating func append(_ type: TypeNumber, _ content: [UInt8]?) {
        self.count += 1
        self.fields += Self.bigEndian(type.rawValue)
        self.fields += Self.bigEndian(content.map { Int32($0.count) } ?? -1)
        self.fields += content ?? []
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian, Array.init)
    }
}
