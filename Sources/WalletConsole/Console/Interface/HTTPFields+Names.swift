import HTTPTypes

extension HTTPFields {
    /// Sets a field by a name that HTTPTypes has no constant for; nil leaves it out.
    mutating func set(_ name: String, _ value: String?) {
        guard let value, let name = HTTPField.Name(name) else { return }
        self[name] = value
    }

    /// The value of a field by a name that HTTPTypes has no constant for.
    func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
