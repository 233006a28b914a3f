import HTTPTypes

extension HTTPFields {
    /// Sets a field whose name has no constant in HTTPTypes; does nothing if the value is nil.
    mutating func set(_ name: String, _ value: String?) {
        guard let value, let name = HTTPField.Name(name) else { return }
        self[name] = value
    }

    /// Returns the value of a field whose name has no constant in HTTPTypes.
    func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
