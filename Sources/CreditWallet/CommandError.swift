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
