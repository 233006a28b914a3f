import Wallet
import WalletAPI

/// How many users with credits and classes with seats a load needs; makes them in the database of a `dev` directory.
struct LoadPreparation: Sendable {
    /// What the service is thought to book in a second at most, where the pace is its own.
    private static let closedRate = 10_000
    private static let mostUsers = 20_000
    private static let mostClasses = 20_000
    private static let mostSeats = 100_000

    let users: Int
    let classes: Int

    /// Returns what a load needs, where nothing was said of it.
    ///
    /// - Parameters:
    ///   - plan: The load.
    ///   - users: How many users to make; nil for what the pattern needs.
    ///   - classes: How many classes to make; nil for what the pattern needs.
    init(_ plan: LoadPlan, users: Int?, classes: Int?) {
        let requests = plan.total ?? Self.closedRate * (plan.ramp + plan.duration)
        let bookings = max(Int((Double(requests) * (1 - plan.reads)).rounded(.up)), 1)
        switch plan.pattern {
        case .uniform, .zipf:
            self.users = users ?? 1_000
            // With four times the pairs that are booked no user runs out early.
            self.classes = classes ?? min(max(4 * bookings / self.users, 100), 2_000)
        case .oneWallet:
            self.users = 1
            self.classes = classes ?? min(bookings, Self.mostClasses)
        case .oneClass:
            self.users = users ?? min(bookings, Self.mostUsers)
            self.classes = 1
        }
    }

    /// Makes them.
    ///
    /// - Parameters:
    ///   - prefix: What their names begin with.
    ///   - database: The database; one of real users is refused.
    ///   - issuer: In whose name the users' tokens are signed.
    ///   - lifetime: Seconds until the tokens expire.
    /// - Returns: Tokens and class ids.
    /// - Throws: What the database or the signing throws.
    func make(
        named prefix: String,
        in database: DevelopmentDatabase,
        issuer: IssuerConfiguration,
        lifetime: Int
    ) async throws -> LoadFixtures {
        try await database.addClasses("\(prefix)class-", count: self.classes, capacity: Self.mostSeats)
        // A seat costs one credit, and nobody books a class twice.
        try await database.addUsers("\(prefix)user-", count: self.users, credits: Int64(self.classes))
        let signer = try TokenSigner(issuer)
        var tokens: [String] = []
        for number in 1...self.users {
            let user = "\(prefix)user-\(number)"
            tokens.append(try await signer.token(for: user, role: "authenticated", lifetime: lifetime))
        }
        return LoadFixtures(tokens: tokens, classes: (1...self.classes).map { "\(prefix)class-\($0)" })
    }
}
