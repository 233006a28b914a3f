import Foundation

extension SandboxLedger {
    /// The result of a change before it is saved.
    struct Deed {
        let transaction: SandboxTransaction
        var receipt: String?
        var steps: [Step]

        init(_ transaction: SandboxTransaction, receipt: String? = nil, _ steps: [Step] = []) {
            self.transaction = transaction
            self.receipt = receipt
            self.steps = steps
        }

        init(_ transaction: SandboxTransaction, receipt: String? = nil, _ kind: SandboxEvent.Kind) {
            self.init(transaction, receipt: receipt, [Step(kind: kind, transaction: transaction)])
        }
    }

    struct Step {
        let kind: SandboxEvent.Kind
        let transaction: SandboxTransaction
        var previous: SandboxTransaction?
    }

    /// Makes a change, saves it and returns the events.
    ///
    /// Each event has its own millisecond, since receivers order events by the store's time.
    func act(_ body: (inout SandboxState, Date) throws -> Deed) throws -> ControlOutcome {
        let now = self.nextInstant
        let deed = try self.change { try body(&$0, now) }
        self.keepTime(now + Double(deed.steps.count) / 1_000)
        let state = self.state
        let happenings = deed.steps.enumerated().map { index, step in
            SandboxEvent(
                kind: step.kind,
                transaction: step.transaction,
                previous: step.previous,
                chain: state.chains[step.transaction.originalID],
                at: now + Double(index) / 1_000,
                state: state
            )
        }
        return ControlOutcome(transaction: deed.transaction, receipt: deed.receipt, happenings: happenings)
    }

    /// Changes the newest period of a subscription and the subscription's state.
    func actOnChain(
        _ originalID: String,
        _ body: (inout SandboxState, inout SandboxSubscription, SandboxTransaction, Date) throws -> Deed
    ) throws -> ControlOutcome {
        try self.act { state, now in
            guard let newest = state.periods(of: originalID).last else { throw ControlRefusal.notFound("subscription") }
            var chain = state.chains[originalID] ?? SandboxSubscription(isRenewing: false)
            let deed = try body(&state, &chain, newest, now)
            state.chains[originalID] = chain
            return deed
        }
    }

    /// Changes one transaction.
    func actOnTransaction(
        _ id: String,
        _ body: (inout SandboxTransaction, Date) throws -> SandboxEvent.Kind?
    ) throws -> ControlOutcome {
        var transaction = try self.transaction(id)
        return try self.act { state, now in
            let kind = try body(&transaction, now)
            state.transactions[id] = transaction
            return kind.map { Deed(transaction, $0) } ?? Deed(transaction)
        }
    }
}
