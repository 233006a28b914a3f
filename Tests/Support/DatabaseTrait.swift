public import Testing

/// Gives a suite, or a single test, its own database, and drops it afterwards.
public struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    private let make: @Sendable () async throws -> TestDatabase

    init(make: @escaping @Sendable () async throws -> TestDatabase) {
        self.make = make
    }

    /// Runs the suite or test with ``TestDatabase/current`` set.
    ///
    /// - Parameters:
    ///   - test: The suite or test.
    ///   - testCase: The case of a test.
    ///   - function: The suite or test body.
    /// - Throws: An error that the function throws.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let database = try await self.make()
        try await TestDatabase.$scoped.withValue(database) {
            try await function()
        }
        try await database.drop()
    }
}

extension Trait where Self == DatabaseTrait {
    /// A copy of the migrated template.
    public static var database: Self { Self { try await TestDatabase.clone() } }

    /// An empty database.
    public static var emptyDatabase: Self { Self { try await TestDatabase.empty() } }
}
