import Foundation
import NIOCore
import Postgres
import Wallet

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
                "The database does not do what it is asked: \(error.message ?? error.description)"
            )
        case let error as WalletError:
            CommandError(error.status == 503 ? .unavailable : .failed, "The database answers \(error.slug).")
        case let error as IOError where error.errnoCode == EADDRINUSE:
            CommandError(.unavailable, "The port is in use (HTTP_PORT or ADMIN_PORT); choose another.")
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            CommandError(.configuration, "This machine has no such address (HTTP_HOST or ADMIN_HOST).")
        case let error as IOError where error.errnoCode == EACCES:
            CommandError(
                .configuration,
                "Only root may listen on that port (HTTP_PORT, ADMIN_PORT); take 1024 or more."
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
            "This login may not do that: \(cause). migrate and import connect as the owner of the database or a superuser, "
                + "serve as wallet_service, verify as a member of wallet_auditor."
        )
    }
}

extension PostgresError {
    /// A Boolean value that indicates whether the connected role lacks a privilege.
    var isMissingRight: Bool { self.sqlState == "42501" }
}
