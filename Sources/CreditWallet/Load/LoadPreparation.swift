import Wallet
import WalletAPI

/// The numbers of users and classes for a load, which it creates in the database of a `dev` directory.
struct LoadPreparation: Sendable {
    /// The assumed maximum rate of a closed loop, in bookings per second.
    private static let closedRate = 10_000
    private static let mostUsers = 20_000
    private static let mostClasses = 20_000
    private static let mostSeats = 100_000

    let users: Int
    let classes: Int

    /// Calculates the numbers that a load needs, unless they are given.
    ///
    /// - Parameters:
    ///   - plan: The plan of the load.
    ///   - users: The number of users to create; nil for the number that the pattern needs.
    ///   - classes: The number of classes to create; nil for the number that the pattern needs.
    init(_ plan: LoadPlan, users: Int?, classes: Int?) {
        let requests = plan.total ?? Self.closedRate * (plan.ramp + plan.duration)
        let bookings = max(Int((Double(requests) * (1 - plan.reads)).rounded(.up)), 1)
        switch plan.pattern {
        case .uniform, .zipf:
            self.users = users ?? 1_000
            // With four times as many pairs as bookings, no user runs out of classes early.
            self.classes = classes ?? min(max(4 * bookings / self.users, 100), 2_000)
        case .oneWallet:
            self.users = 1
            self.classes = classes ?? min(bookings, Self.mostClasses)
        case .oneClass:
            self.users = users ?? min(bookings, Self.mostUsers)
            self.classes = 1
        }
    }

    /// Creates the users and classes.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of their names.
    ///   - database: The database; a production database is refused.
    ///   - issuer: The issuer that signs the users' tokens.
    ///   - lifetime: The lifetime of the tokens in seconds.
    /// - Returns: The tokens and class ids.
    /// - Throws: An error of the database or of the signing.
    func make(
        named prefix: String,
        in database: DevelopmentDatabase,
        issuer: IssuerConfiguration,
        lifetime: Int
    ) async throws -> LoadFixtures {
        try await database.addClasses("\(prefix)class-", count: self.classes, capacity: Self.mostSeats)
        // A seat costs one credit, and each user books each class at most once.
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
