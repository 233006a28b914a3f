import ArgumentParser

/// Who books what.
enum LoadPattern: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
    /// Every user as often as every other.
    case uniform
    /// Few users often, most of them seldom.
    case zipf
    /// One user books class after class.
    case oneWallet = "one-wallet"
    /// Everybody books the same class.
    case oneClass = "one-class"
}
