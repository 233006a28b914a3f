import CLibpq
import Foundation

/// The server's response to one round trip: rows, or the first error.
struct QueryResult: Sendable {
    private(set) var rows: [Row] = []
    private(set) var commandTag = ""
    private(set) var completed = 0
    private(set) var error: PostgresError?

    /// Adds a result; the caller still has to clear it.
    ///
    /// - Returns: A Boolean value that indicates whether the protocol can continue, which it cannot during a COPY.
    mutating func add(_ result: OpaquePointer) -> Bool {
        switch PQresultStatus(result) {
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: return false
        case PGRES_TUPLES_OK:
            // Results of a script are in text format, which this module does not decode.
            if PQbinaryTuples(result) == 1 || PQnfields(result) == 0 { self.rows = RowTable(result).rows }
            self.complete(result)
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: self.complete(result)
        default: self.error = self.error ?? PostgresError(result, completed: self.completed)
        }
        return true
    }

    private mutating func complete(_ result: OpaquePointer) {
        self.completed += 1
        self.commandTag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
    }
}

extension PostgresError {
    /// Creates an error from a result.
    init(_ result: OpaquePointer, completed: Int) {
        func field(_ code: Int32) -> String? { String(libpq: PQresultErrorField(result, code)) }
        self.init(.internal, field(Diagnostic.message) ?? String(libpq: PQresultErrorMessage(result)))
        self.completed = completed
        guard let sqlState = field(Diagnostic.sqlState) else { return }
        self.sqlState = sqlState
        self.code = Code(sqlState: sqlState)
        self.detail = field(Diagnostic.detail)
        self.constraint = field(Diagnostic.constraint)
        self.context = field(Diagnostic.context)
        self.position = field(Diagnostic.position).flatMap(Int.init)
        // The message of a 0A000 is translated, so this checks the name of the C function that raises it.
        let origin = field(Diagnostic.function)
        self.isStaleStatement = sqlState == "26000" || (sqlState == "0A000" && origin == "RevalidateCachedQuery")
    }
}

extension String {
    /// Creates a trimmed copy of a text of libpq; returns `nil` if there is no text.
    init?(libpq pointer: UnsafePointer<CChar>?) {
        guard let pointer else { return nil }
        self = String(cString: pointer).trimmingCharacters(in: .whitespacesAndNewlines)
        if self.isEmpty { return nil }
    }
}

/// The codes of a result's error fields.
enum Diagnostic {
    static let severity = Int32(UInt8(ascii: "V"))
    static let sqlState = Int32(UInt8(ascii: "C"))
    static let message = Int32(UInt8(ascii: "M"))
    static let detail = Int32(UInt8(ascii: "D"))
    static let position = Int32(UInt8(ascii: "P"))
    static let context = Int32(UInt8(ascii: "W"))
    static let constraint = Int32(UInt8(ascii: "n"))
    static let function = Int32(UInt8(ascii: "R"))
}
