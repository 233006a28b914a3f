import CommandOutput
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
                "Database error: \(error.message ?? error.description)"
            )
        case let error as WalletError:
            CommandError(
                error.status == 503 ? .unavailable : .failed,
                "Database error: \(error.slug)."
            )
        case let error as IOError where error.errnoCode == EADDRINUSE:
            CommandError(.unavailable, "The port is in use (HTTP_PORT or METRICS_PORT); choose another port.")
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            CommandError(
                .configuration,
                "This machine does not have the address to listen on (HTTP_HOST or METRICS_HOST)."
            )
        case let error as IOError where error.errnoCode == EACCES:
            CommandError(
                .configuration,
                "Only root may listen on this port (HTTP_PORT or METRICS_PORT); choose 1024 or higher."
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
