import Testing

/// Looks again and again until something is as it should be, for what the service does by itself within seconds.
///
/// - Returns: What was seen last.
func eventually<Value: Sendable>(
    within limit: Duration = .seconds(20),
    _ look: () async throws -> Value,
    until isDone: (Value) -> Bool
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    var seen = try await look()
    while !isDone(seen), ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(100))
        seen = try await look()
    }
    return seen
}
