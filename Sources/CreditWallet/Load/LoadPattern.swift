import ArgumentParser

/// The distribution of bookings over users and classes.
enum LoadPattern: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
    /// All users book equally often.
    case uniform
    /// A few users book often, and most users book rarely.
    case zipf
    /// One user books many classes.
    case oneWallet = "one-wallet"
    /// All users book the same class.
    case oneClass = "one-class"
}
