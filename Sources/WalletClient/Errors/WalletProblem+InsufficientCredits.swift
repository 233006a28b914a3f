import Foundation

extension WalletProblem {
    /// The shortage and the products that cover it; nil unless the status is 402.
    ///
    /// ``detail`` states the shortage in a sentence.
    public var insufficientCredits: InsufficientCredits? {
        guard self.slug == .insufficientCredits, let members = try? JSONEncoder().encode(self.members) else {
            return nil
        }
        return try? JSONDecoder().decode(InsufficientCredits.self, from: members)
    }
}
