import Foundation

extension WalletProblem {
    /// What the wallet lacks and what to buy, where that is the problem (402); ``detail`` says it in a sentence.
    public var insufficientCredits: InsufficientCredits? {
        guard self.slug == .insufficientCredits, let members = try? JSONEncoder().encode(self.members) else {
            return nil
        }
        return try? JSONDecoder().decode(InsufficientCredits.self, from: members)
    }
}
