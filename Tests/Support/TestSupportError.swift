/// The reason why a test cannot be set up, with the next step.
public struct TestSupportError: Error, CustomStringConvertible {
    /// The explanation.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
