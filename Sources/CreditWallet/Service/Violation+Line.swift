import Wallet

extension Violation {
    /// Where the books are broken, as a line for a person.
    var line: String {
        let account = self.accountID.map { " account \($0)" } ?? ""
        let version = self.version.map { " version \($0)" } ?? ""
        return "\(self.invariant): \(self.environment.rawValue)\(account)\(version): \(self.detail)"
    }
}
