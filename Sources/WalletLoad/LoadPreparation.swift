import CommandOutput
import Foundation
import Wallet

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
    /// - Returns: The tokens and class ids.
    /// - Throws: An error of the database or of the signing.
    func make(
        named prefix: String,
        in database: DevelopmentDatabase,
        issuer: IssuerOfUsers
    ) async throws -> LoadFixtures {
        try await database.addClasses("\(prefix)class-", count: self.classes, capacity: Self.mostSeats)
        // A seat costs one credit, and each user books each class at most once.
        try await database.addUsers("\(prefix)user-", count: self.users, credits: Int64(self.classes))
        var tokens: [String] = []
        for number in 1...self.users { tokens.append(try await issuer.token("\(prefix)user-\(number)")) }
        return LoadFixtures(tokens: tokens, classes: (1...self.classes).map { "\(prefix)class-\($0)" })
    }
}

/// An issuer of user tokens whose secret is available, so that tokens can be signed locally.
package struct IssuerOfUsers: Sendable {
    let name: String
    /// The text that precedes each `sub` in the service's user ids.
    let prefix: String
    /// Signs a token for a subject; the token is valid for longer than any load.
    let token: @Sendable (String) async throws -> String

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - name: The issuer's name.
    ///   - prefix: The text that precedes each `sub` in the service's user ids.
    ///   - token: A closure that signs a token for a subject; the token must be valid for longer than any load.
    package init(name: String, prefix: String, token: @escaping @Sendable (String) async throws -> String) {
        self.name = name
        self.prefix = prefix
        self.token = token
    }
}

/// The users' tokens and the classes to book.
struct LoadFixtures: Sendable {
    /// One token for each user, signed by an issuer of the service.
    let tokens: [String]
    let classes: [String]

    init(tokens: [String], classes: [String]) {
        self.tokens = tokens
        self.classes = classes
    }

    /// Reads both from files with one entry per line; empty lines are ignored.
    ///
    /// - Parameters:
    ///   - tokens: A file of tokens.
    ///   - classes: A file of class ids.
    /// - Throws: ``CommandError`` with the file and the invalid line, but never with a token.
    init(tokensFile tokens: String, classesFile classes: String) throws(CommandError) {
        self.tokens = try Self.lines(of: tokens, "a token") { $0.isLetterOrDigit || "-._".utf8.contains($0) }
        self.classes = try Self.lines(of: classes, "a class id") { $0.isLetterOrDigit || "-._:".utf8.contains($0) }
    }

    private static func lines(
        of file: String,
        _ meaning: String,
        where isAllowed: (UInt8) -> Bool
    ) throws(CommandError) -> [String] {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandError(.configuration, "Cannot read \(file).")
        }
        var lines: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            guard !line.isEmpty else { continue }
            guard line.utf8.allSatisfy(isAllowed) else {
                throw CommandError(.configuration, "\(file): line \(index + 1) is not \(meaning).")
            }
            lines.append(String(line))
        }
        guard !lines.isEmpty else { throw CommandError(.configuration, "\(file) is empty.") }
        return lines
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
