/// Waits until a condition is true.
///
/// - Parameters:
///   - what: The condition in words, for the error.
///   - limit: The longest time to wait; the default suffices on a slow machine.
///   - fileID: The caller's file, for the error.
///   - line: The caller's line, for the error.
///   - condition: The condition, which is evaluated every 20 ms.
/// - Throws: ``TestSupportError`` after the limit, and what the condition throws.
public func eventually(
    _ what: String = "condition",
    within limit: Duration = .seconds(60),
    fileID: String = #fileID,
    line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TestSupportError("not true within \(limit): \(what) (\(fileID):\(line))")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
