import Wallet

extension ClassDefinition {
    /// Refuses members whose type is right but whose value no class can have.
    func checked() throws -> ClassDefinition {
        guard (1...200).contains(self.title.unicodeScalars.count), Subject.isClean(self.title) else {
            throw Problem.malformed("The member \"title\" must be 1 to 200 characters on one line.")
        }
        guard self.startsAt < self.endsAt else {
            throw Problem.malformed("The member \"ends_at\" must lie after \"starts_at\".")
        }
        guard (0...100_000).contains(self.capacity) else {
            throw Problem.malformed("The member \"capacity\" must be 0 to 100000.")
        }
        guard self.price.credits != nil || self.price.visits != nil else {
            throw Problem.malformed("The member \"price\" must name credits, visits or both.")
        }
        for amount in [self.price.credits, self.price.visits] {
            guard let amount, !(1...1_000_000).contains(amount) else { continue }
            throw Problem.malformed("The members of \"price\" must be 1 to 1000000.")
        }
        if let policy = self.cancellation, !(0...525_600).contains(policy.freeMinutesBefore) {
            throw Problem.malformed("The member \"cancellation.free_minutes_before\" must be 0 to 525600.")
        }
        return self
    }
}
