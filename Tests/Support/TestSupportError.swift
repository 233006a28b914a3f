/// Why a test could not be set up; says what to do about it.
public struct TestSupportError: Error, CustomStringConvertible {
    /// The explanation.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
