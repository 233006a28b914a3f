/// The object identifier of a PostgreSQL type.
public struct OID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in `pg_type.oid`.
    public let rawValue: UInt32

    /// Creates an identifier.
    ///
    /// - Parameter rawValue: The number in `pg_type.oid`.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// `boolean`.
    public static let bool = Self(rawValue: 16)
    /// `bytea`.
    public static let bytea = Self(rawValue: 17)
    /// `bigint`.
    public static let int8 = Self(rawValue: 20)
    /// `smallint`.
    public static let int2 = Self(rawValue: 21)
    /// `integer`.
    public static let int4 = Self(rawValue: 23)
    /// `text`.
    public static let text = Self(rawValue: 25)
    /// `json`.
    public static let json = Self(rawValue: 114)
    /// `real`.
    public static let float4 = Self(rawValue: 700)
    /// `double precision`.
    public static let float8 = Self(rawValue: 701)
    /// `date`.
    public static let date = Self(rawValue: 1082)
    /// `timestamptz`.
    public static let timestamptz = Self(rawValue: 1184)
    /// `numeric`.
    public static let numeric = Self(rawValue: 1700)
    /// `uuid`.
    public static let uuid = Self(rawValue: 2950)
    /// `jsonb`.
    public static let jsonb = Self(rawValue: 3802)

    static let char = Self(rawValue: 18)
    static let name = Self(rawValue: 19)
    static let oid = Self(rawValue: 26)
    static let unknown = Self(rawValue: 705)
    static let bpchar = Self(rawValue: 1042)
    static let varchar = Self(rawValue: 1043)
    static let timestamp = Self(rawValue: 1114)
    static let interval = Self(rawValue: 1186)

    static let boolArray = Self(rawValue: 1000)
    static let byteaArray = Self(rawValue: 1001)
    static let int2Array = Self(rawValue: 1005)
    static let int4Array = Self(rawValue: 1007)
    static let textArray = Self(rawValue: 1009)
    static let int8Array = Self(rawValue: 1016)
    static let float4Array = Self(rawValue: 1021)
    static let float8Array = Self(rawValue: 1022)
    static let timestamptzArray = Self(rawValue: 1185)
    static let numericArray = Self(rawValue: 1231)
    static let uuidArray = Self(rawValue: 2951)
    static let jsonbArray = Self(rawValue: 3807)

    /// A Boolean value that indicates whether the type is user-defined: an enum, a composite or a type of an extension.
    var isUserDefined: Bool { self.rawValue >= 16_384 }

    /// The type's name, for error messages.
    public var description: String { Self.names[self] ?? "a value of type \(self.rawValue)" }

    private static let names: [OID: String] = [
        .bool: "boolean", .bytea: "bytea", .int8: "bigint", .int2: "smallint", .int4: "integer", .text: "text",
        .json: "json", .float4: "real", .float8: "double precision", .date: "date", .timestamptz: "timestamptz",
        .numeric: "numeric", .uuid: "uuid", .jsonb: "jsonb", .char: "\"char\"", .name: "name", .oid: "oid",
        .bpchar: "character", .varchar: "varchar", .timestamp: "timestamp", .interval: "interval",
        .boolArray: "boolean[]", .byteaArray: "bytea[]", .int2Array: "smallint[]", .int4Array: "integer[]",
        .textArray: "text[]", .int8Array: "bigint[]", .float4Array: "real[]", .float8Array: "double precision[]",
        .timestamptzArray: "timestamptz[]", .numericArray: "numeric[]", .uuidArray: "uuid[]", .jsonbArray: "jsonb[]",
    ]
}
