import Postgres
import Wallet

extension CommandError {
    /// Describes a failure of the database in words for anyone who started the command; other errors stay what they
    /// are.
    static func explaining(_ error: any Error) -> any Error {
        switch error {
        case let error as PostgresError:
            CommandError(
                error.code == .unavailable ? .unavailable : .failed,
                "The database does not do what it is asked: \(error.message ?? error.description)"
            )
        case let error as WalletError:
            CommandError(error.status == 503 ? .unavailable : .failed, "The database answers \(error.slug).")
        case let error as MigrationError:
            CommandError(.failed, error.message)
        default:
            error
        }
    }
}
