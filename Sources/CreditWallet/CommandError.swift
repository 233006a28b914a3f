/// Why a command could not do its work, in words for anyone who started it.
///
/// The message names configuration keys, files and addresses, never the value of a secret.
struct CommandError: Error, Equatable {
    /// Names the kind of failure; its number is the process's exit code (as in sysexits.h).
    struct Code: Sendable, Equatable {
        let exitCode: Int32

        /// Something checked was found wrong: an invariant is broken, a migration is missing.
        static let failed = Code(exitCode: 1)
        /// A server or a tool that the command needs does not answer or is not there.
        static let unavailable = Code(exitCode: 69)
        /// The system refused: a file, a directory, a process.
        static let system = Code(exitCode: 71)
        /// A configuration key is missing or has a value that cannot be used.
        static let configuration = Code(exitCode: 78)
    }

    let code: Code
    let message: String
    /// The configuration key whose value alone is at fault; nil where something else is.
    let key: ConfigurationKey?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        self.key = nil
    }

    /// A value that cannot be used.
    ///
    /// - Parameters:
    ///   - key: The key that has it.
    ///   - rule: What the value must be, such as "must be true or false.", which follows the key's name.
    init(unusable key: ConfigurationKey, _ rule: String) {
        self.code = .configuration
        self.message = "\(key.name) \(rule)"
        self.key = key
    }
}

extension CommandError {
    /// The same, said of one wallet where there are several.
    func of(_ wallet: String?) -> CommandError {
        wallet.map { CommandError(self.code, "\($0): \(self.message)") } ?? self
    }
}

extension CommandError: CustomStringConvertible {
    var description: String { self.message }
}
