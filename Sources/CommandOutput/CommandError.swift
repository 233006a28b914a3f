/// An error that explains to the user why a command failed.
///
/// The message names configuration keys, files and addresses, never the value of a secret.
package struct CommandError: Error, Equatable {
    /// The kind of failure; its number is the process's exit code (as in sysexits.h).
    package struct Code: Sendable, Equatable {
        package let exitCode: Int32

        /// A check failed: an invariant is broken, or a migration is missing.
        package static let failed = Code(exitCode: 1)
        /// A server or a tool that the command needs is unavailable or not installed.
        package static let unavailable = Code(exitCode: 69)
        /// The operating system refused an operation on a file, a directory or a process.
        package static let system = Code(exitCode: 71)
        /// A configuration key is missing or has an invalid value.
        package static let configuration = Code(exitCode: 78)
    }

    package let code: Code
    package let message: String
    /// The name of the configuration key whose value alone caused the error; nil for other causes.
    package let setting: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The message for the user.
    ///   - setting: The name of the configuration key whose value alone caused the error; nil for other causes.
    package init(_ code: Code, _ message: String, setting: String? = nil) {
        self.code = code
        self.message = message
        self.setting = setting
    }

    /// Returns the same error with the name of its wallet, if there are several wallets.
    package func of(_ wallet: String?) -> CommandError {
        wallet.map { CommandError(self.code, "\($0): \(self.message)") } ?? self
    }
}

extension CommandError: CustomStringConvertible {
    package var description: String { self.message }
}
