/// One thing that can be configured: its name in every source, what it means and what it is when nobody says.
///
/// The name is that of the environment variable and of the line in `.env`; in the secrets directory it is a file named
/// in lower case. Every key stands in the table of `ConfigurationKey+Table.swift`, which `serve --help` prints.
struct ConfigurationKey: Sendable, Hashable {
    /// What becomes of a key that no source has.
    enum Absence: Sendable, Hashable {
        /// The command cannot run without it.
        case required
        /// It is optional; nothing takes its place.
        case optional
        /// This value takes its place.
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
