public import Foundation

extension UUID: PostgresScalar {
    /// `uuid`.
    public static var postgresOID: OID { .uuid }
    /// `uuid[]`.
    public static var postgresArrayOID: OID { .uuidArray }

    /// Returns sixteen bytes.
    public func postgresBytes() -> [UInt8]? { withUnsafeBytes(of: self.uuid) { Array($0) } }

    /// Reads a `uuid`.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        let bytes = try cell.bytes(of: .uuid, for: Self.self)
        guard bytes.count == 16 else { throw cell.mismatch(Self.self) }
        var value = zeroUUID
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        self.init(uuid: value)
    }
}

private let zeroUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

extension Data: PostgresScalar {
    /// `bytea`.
    public static var postgresOID: OID { .bytea }
    /// `bytea[]`.
    public static var postgresArrayOID: OID { .byteaArray }

    /// Returns the bytes.
    public func postgresBytes() -> [UInt8]? { Array(self) }

    /// Reads a `bytea`.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self = Data(try cell.bytes(of: .bytea, for: Self.self))
    }
}

extension Date: PostgresScalar {
    /// `timestamptz`.
    public static var postgresOID: OID { .timestamptz }
    /// `timestamptz[]`.
    public static var postgresArrayOID: OID { .timestamptzArray }

    /// The number of seconds from the server's epoch (2000) to Foundation's (2001).
    private static let epochDistance: Double = 366 * 86_400

    /// The range of instants that the server supports, in microseconds since 2000.
    private static let range: Range<Double> = -211_813_488_000_000_000..<9_223_371_331_200_000_000

    /// Returns microseconds since 2000.
    ///
    /// `distantFuture` becomes `infinity` and `distantPast` becomes `-infinity`, and so do instants outside the
    /// server's range.
    ///
    /// All other instants keep their value, even in the year 4001 and later, so that the server calculates with them
    /// and not with infinity.
    public func postgresBytes() -> [UInt8]? {
        if self == .distantFuture { return Int64.max.bigEndianBytes }
        if self == .distantPast { return Int64.min.bigEndianBytes }
        let micros = ((self.timeIntervalSinceReferenceDate + Self.epochDistance) * 1_000_000).rounded()
        guard Self.range.contains(micros) else { return (micros > 0 ? Int64.max : Int64.min).bigEndianBytes }
        return Int64(micros).bigEndianBytes
    }

    /// Reads a `timestamptz` (`infinity` as `distantFuture`), or a `date` as its midnight in UTC.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`; a `timestamp` without time zone is not an instant.
    public init(cell: Cell) throws(PostgresError) {
        switch cell.type {
        case .timestamptz:
            let micros = try cell.integer(Int64.self, for: Self.self)
            self = Self.instant(Double(micros) / 1_000_000, isFirst: micros == .min, isLast: micros == .max)
        case .date:
            let days = try cell.integer(Int32.self, for: Self.self)
            self = Self.instant(Double(days) * 86_400, isFirst: days == .min, isLast: days == .max)
        default: throw cell.mismatch(Self.self)
        }
    }

    private static func instant(_ seconds: Double, isFirst: Bool, isLast: Bool) -> Date {
        if isFirst { return .distantPast }
        if isLast { return .distantFuture }
        return Date(timeIntervalSinceReferenceDate: seconds - Self.epochDistance)
    }
}
