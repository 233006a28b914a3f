/// A configuration key: its name in every source, its meaning and its default.
///
/// The name is used for the environment variable and for the line in `.env`. In the secrets directory, the file has the
/// name in lower case. Every key is in the table of `ConfigurationKey+Table.swift`, which `serve --help` prints.
struct ConfigurationKey: Sendable, Hashable {
    /// The behaviour for a key that no source contains.
    enum Absence: Sendable, Hashable {
        /// The command fails without a value.
        case required
        /// The value is optional and has no default.
        case optional
        /// The default value.
        case fallback(String)
    }

    let name: String
    let absence: Absence
    let isSecret: Bool
    let meaning: String

    init(_ name: String, _ absence: Absence, isSecret: Bool = false, _ meaning: String) {
        self.name = name
        self.absence = absence
        self.isSecret = isSecret
        self.meaning = meaning
    }
}
