import Foundation

/// A statement and its parameters.
///
/// Write a query as a string literal. Every interpolated value becomes a parameter (`$1`, `$2`, …) and never text:
/// `"SELECT * FROM wallet.lots WHERE lot = \(id) AND unit = ANY(\(units))"`. Only `unescaped:` and `identifier:` of
/// ``StringInterpolation`` insert text into the statement.
public struct Query: ExpressibleByStringInterpolation, Sendable {
    struct Bind: Sendable {
        let type: OID
        let bytes: [UInt8]?
    }

    /// The statement's text, with `$n` for each parameter.
    public let sql: String
    let binds: [Bind]

    /// Creates a statement without parameters from a literal.
    ///
    /// - Parameter value: The statement.
    public init(stringLiteral value: String) {
        self.init(unsafeSQL: value)
    }

    /// - Parameter stringInterpolation: The collected text and parameters.
    public init(stringInterpolation: StringInterpolation) {
        self.sql = stringInterpolation.sql
        self.binds = stringInterpolation.binds
    }

    /// Creates a statement from text built at run time, which must not contain user input.
    ///
    /// - Parameter unsafeSQL: The statement.
    public init(unsafeSQL: String) {
        self.sql = unsafeSQL
        self.binds = []
    }

    /// Collects a statement's text and its parameters.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: String
        fileprivate var binds: [Bind] = []

        /// Creates an empty statement.
        ///
        /// - Parameters:
        ///   - literalCapacity: The approximate length of the text.
        ///   - interpolationCount: The number of parameters.
        public init(literalCapacity: Int, interpolationCount: Int) {
            self.sql = ""
            self.sql.reserveCapacity(literalCapacity + interpolationCount * 3)
            self.binds.reserveCapacity(interpolationCount)
        }

        /// Appends a literal part of the text.
        ///
        /// - Parameter literal: The text.
        public mutating func appendLiteral(_ literal: String) {
            self.sql += literal
        }

        /// Binds a value as the next parameter, declared with the value's type.
        ///
        /// - Parameter value: The value.
        public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T) {
            self.bind(T.postgresOID, value.postgresBytes())
        }

        /// Binds an optional value as the next parameter, declared with the value's type.
        ///
        /// - Parameter value: The value, or `nil` for NULL.
        public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T?) {
            self.bind(T.postgresOID, value.postgresBytes())
        }

        /// Binds a value as `jsonb`.
        ///
        /// - Parameter json: The value.
        /// - Throws: Any error that encoding the value throws.
        public mutating func appendInterpolation(json: some Encodable) throws {
            let text = String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
            self.appendInterpolation(JSONText(rawValue: text))
        }

        /// Appends a name as a quoted identifier.
        ///
        /// - Parameter identifier: The name of a table, column, role or channel.
        public mutating func appendInterpolation(identifier: String) {
            self.sql += Query.quoted(identifier)
        }

        /// Appends text to the statement without changes; the text must not contain user input.
        ///
        /// - Parameter unescaped: A piece of SQL.
        public mutating func appendInterpolation(unescaped: String) {
            self.sql += unescaped
        }

        private mutating func bind(_ type: OID, _ bytes: [UInt8]?) {
            self.binds.append(Bind(type: type, bytes: bytes))
            self.sql += "$\(self.binds.count)"
        }
    }

    /// Quotes a name as an identifier; the name may contain any characters.
    ///
    /// - Parameter identifier: The name.
    /// - Returns: The name in double quotes.
    public static func quoted(_ identifier: String) -> String {
        "\"" + identifier.replacing("\"", with: "\"\"") + "\""
    }
}
