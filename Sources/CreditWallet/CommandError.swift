import Foundation
import NIOCore
import Postgres
import Wallet

/// An error that explains to the user why a command failed.
///
/// The message names configuration keys, files and addresses, never the value of a secret.
struct CommandError: Error, Equatable {
    /// The kind of failure; its number is the process's exit code (as in sysexits.h).
    struct Code: Sendable, Equatable {
        let exitCode: Int32

        /// A check failed: an invariant is broken, or a migration is missing.
        static let failed = Code(exitCode: 1)
        /// A server or a tool that the command needs is unavailable or not installed.
        static let unavailable = Code(exitCode: 69)
        /// The operating system refused an operation on a file, a directory or a process.
        static let system = Code(exitCode: 71)
        /// A configuration key is missing or has an invalid value.
        static let configuration = Code(exitCode: 78)
    }

    let code: Code
    let message: String
    /// The configuration key whose value alone caused the error; nil for other causes.
    let key: ConfigurationKey?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        self.key = nil
    }

    /// Creates an error for an invalid value.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - rule: The rule for the value, such as "must be true or false.", which follows the key's name.
    init(unusable key: ConfigurationKey, _ rule: String) {
        self.code = .configuration
        self.message = "\(key.name) \(rule)"
        self.key = key
    }
}

extension CommandError {
    /// Returns the same error with the name of its wallet, if there are several wallets.
    func of(_ wallet: String?) -> CommandError {
        wallet.map { CommandError(self.code, "\($0): \(self.message)") } ?? self
    }
}

extension CommandError: CustomStringConvertible {
    var description: String { self.message }
}

extension CommandError {
    /// Converts a database or network error to a message for the user; returns other errors unchanged.
    static func explaining(_ error: any Error) -> any Error {
        switch error {
        case let error as PostgresError where error.isMissingRight:
            Self.missingRight(error.message ?? error.description)
        case let error as MigrationError where error.cause?.isMissingRight == true:
            Self.missingRight(error.message)
        case let error as PostgresError:
            CommandError(
                error.code == .unavailable ? .unavailable : .failed,
                "Database error: \(error.message ?? error.description)"
            )
        case let error as WalletError:
            CommandError(
                error.status == 503 ? .unavailable : .failed,
                "Database error: \(error.slug)."
            )
        case let error as IOError where error.errnoCode == EADDRINUSE:
            CommandError(.unavailable, "The port is in use (HTTP_PORT or ADMIN_PORT); choose another port.")
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            CommandError(
                .configuration,
                "This machine does not have the address to listen on (HTTP_HOST or ADMIN_HOST)."
            )
        case let error as IOError where error.errnoCode == EACCES:
            CommandError(
                .configuration,
                "Only root may listen on this port (HTTP_PORT or ADMIN_PORT); choose 1024 or higher."
            )
        case let error as MigrationError:
            CommandError(.failed, error.message)
        default:
            error
        }
    }

    private static func missingRight(_ cause: String) -> CommandError {
        CommandError(
            .configuration,
            "The database role lacks a privilege: \(cause). migrate and import must connect as the owner of the "
                + "database or a superuser, serve as wallet_service, verify as a member of wallet_auditor."
        )
    }
}

extension PostgresError {
    /// A Boolean value that indicates whether the connected role lacks a privilege.
    var isMissingRight: Bool { self.sqlState == "42501" }
}
