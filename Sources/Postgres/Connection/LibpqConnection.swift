import CLibpq
import Foundation

/// One libpq connection, confined to the thread that opened it.
///
/// All methods may block that thread, within the given deadlines, but no other thread.
final class LibpqConnection {
    let raw: OpaquePointer
    let configuration: ConnectionConfiguration
    var statements: StatementCache
    private let farewell = NoticeReceiver()
    /// The reason why the connection can no longer be used: the socket is lost, or a statement missed its deadline.
    private(set) var failure: PostgresError?
    /// A Boolean value that indicates whether the server still works on a statement whose caller no longer waits.
    var isGivenUp: Bool { self.failure?.isGivenUp == true }

    /// Opens a session, trying each host and address of the URL in turn.
    ///
    /// - Throws: ``PostgresError`` with code `unavailable`.
    init(_ configuration: ConnectionConfiguration) throws(PostgresError) {
        let parameters = try ConnectionParameters(configuration)
        // This blocking connect applies connect_timeout to each host; libpq's non-blocking connect does not.
        let keywords = CStrings(parameters.values.map(\.keyword))
        let values = CStrings(parameters.values.map(\.value))
        guard let raw = PQconnectdbParams(keywords.pointers, values.pointers, 0) else {
            throw PostgresError(.unavailable, "libpq is out of memory")
        }
        self.raw = raw
        self.configuration = configuration
        self.statements = StatementCache(limit: configuration.maximumPreparedStatements)
        self.farewell.listen(on: raw)
        guard PQstatus(raw) == CONNECTION_OK, PQsetnonblocking(raw, 1) == 0 else {
            throw PostgresError(.unavailable, Self.text(PQerrorMessage(raw)))
        }
        try self.setUp()
    }

    deinit {
        PQfinish(self.raw)
    }

    var descriptor: Int32 { PQsocket(self.raw) }

    var transaction: TransactionStatus {
        switch PQtransactionStatus(self.raw) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// Marks the connection as unusable; the first reason stays.
    func abandon(_ error: PostgresError) {
        self.failure = self.failure ?? error
    }

    /// Reads messages that the server sent without a request, which may include the end of the session.
    func readIdle() {
        if PQconsumeInput(self.raw) == 0 || PQstatus(self.raw) == CONNECTION_BAD { self.abandon(self.lost()) }
        // Makes libpq parse the data that it has read.
        _ = PQisBusy(self.raw)
        if let error = self.farewell.error { self.abandon(error) }
    }

    /// Returns an error, once, if the statement that has just succeeded is committed on this server alone.
    func takeUnconfirmed() -> PostgresError? {
        self.farewell.takeUnconfirmed()
    }

    /// Returns the error for a lost connection, with libpq's message.
    func lost() -> PostgresError {
        let text = Self.text(PQerrorMessage(self.raw))
        return PostgresError(.unavailable, text ?? "the connection to the database was lost")
    }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer else { return nil }
        let text = String(cString: pointer).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    private func setUp() throws(PostgresError) {
        guard let timeout = self.configuration.statementTimeout, self.configuration.preparedStatements else { return }
        let limit = self.configuration.connectTimeout
        try self.run(script: "SET statement_timeout = \(timeout.milliseconds)", timeout: limit)
    }
}

/// The transaction status of a session between statements.
enum TransactionStatus: Sendable {
    case idle
    case open
    case failed
    case unknown
}

/// A null-terminated array of C strings, valid as long as this object lives.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        self.count = strings.count
        self.pointers = .allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            self.pointers[index] = UnsafePointer(strdup(string))
        }
        self.pointers[self.count] = nil
    }

    deinit {
        for index in 0..<self.count { free(UnsafeMutablePointer(mutating: self.pointers[index])) }
        self.pointers.deallocate()
    }
}
