import Wallet

extension Violation {
    /// The violation as a line of text for the operator.
    var line: String {
        let account = self.accountID.map { " account \($0)" } ?? ""
        let version = self.version.map { " version \($0)" } ?? ""
        let environment = self.environment?.rawValue ?? "all"
        return "\(self.invariant): \(environment)\(account)\(version): \(self.detail)"
    }
}
