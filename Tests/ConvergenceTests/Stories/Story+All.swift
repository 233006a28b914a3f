import Foundation

extension Story {
    /// Every story that the tests run.
    static let all =
        purchases + refunds + renewals + failures + endings + changes + playPurchases + playSubscriptions
        + resubscriptions + severalProducts

    /// The stories that `CONVERGENCE_STORY` selects by a part of their name; all by default.
    static var chosen: [Story] {
        let part = ProcessInfo.processInfo.environment["CONVERGENCE_STORY"] ?? ""
        return self.all.filter { part.isEmpty || $0.name.contains(part) }
    }

    /// The expected lines for one user's wallet and ledger without debts.
    static func holds(_ user: User = .ann, credits: Int) -> [String] {
        [
            "\(user): \(credits) credits, 0 visits, owes 0 and 0", "\(user) ledger: \(credits) credits, debts 0",
        ]
    }

    static func holds(_ user: User = .ann, visits: Int) -> [String] {
        ["\(user): 0 credits, \(visits) visits, owes 0 and 0", "\(user) ledger: \(visits) visits, debts 0"]
    }
}
