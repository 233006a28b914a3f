import Foundation
import Wallet

/// One wallet: its lots, its repayments and its ledger.
struct ModelWallet {
    struct Repayment {
        let debtor: Int
        let payer: Int
        var amount: Int64
    }

    private(set) var lots: [ModelLot] = []
    private(set) var entries: [ModelEntry] = []
    private var repayments: [Repayment] = []

    var version: Int64 { Int64(self.entries.count) }

    /// Returns the balance of the wallet's row, in which due but unposted lapses still count.
    func stored(_ unit: CreditUnit) -> Int64 {
        self.lots.reduce(0) { $0 + ($1.unit == unit ? $1.remaining : 0) }
    }

    func spendable(_ unit: CreditUnit, at now: Date) -> Int64 {
        self.lots.reduce(0) { $0 + ($1.unit == unit && $1.pays(at: now) ? $1.remaining : 0) }
    }

    func owed(_ unit: CreditUnit) -> Int64 {
        self.lots.reduce(0) { $0 + ($1.unit == unit ? $1.owed : 0) }
    }

    mutating func name(_ lot: Int, _ id: UUID) {
        self.lots[lot].id = id
    }

    /// Reopens a lot after its expiry, once.
    mutating func reopen(_ lot: Int, until instant: Date) {
        self.lots[lot].expiresAt = instant
        self.lots[lot].reopenedUntil = instant
    }

    /// A Boolean value that indicates whether a lot is older.
    ///
    /// Ids grow with time; a lot without an id is the youngest.
    func isOlder(_ left: Int, _ right: Int) -> Bool {
        switch (self.lots[left].id, self.lots[right].id) {
        case (let first?, let second?): first.uuidString < second.uuidString
        case (nil, nil): left < right
        case (let first, _): first != nil
        }
    }

    /// Orders lots for payment (rule 7): the soonest expiry first, lots without expiry last, then by lot id.
    func burnOrder(_ left: Int, _ right: Int) -> Bool {
        let first = self.lots[left].expiresAt ?? .distantFuture
        let second = self.lots[right].expiresAt ?? .distantFuture
        return first == second ? self.isOlder(left, right) : first < second
    }

    mutating func post(_ entry: ModelEntry) {
        self.entries.append(entry)
    }

    /// Changes a lot, and posts the effect on spendable and owed amounts.
    ///
    /// Repayments that exceed the remaining shortfall return to the lots that paid them.
    mutating func change(_ lot: Int, _ kind: String, _ change: LotChange, booking: Int? = nil, at now: Date) {
        let before = self.lots[lot]
        self.lots[lot].granted += change.granted
        self.lots[lot].spent += change.spent
        self.lots[lot].lapsed += change.lapsed
        self.lots[lot].refunded += change.refunded
        self.lots[lot].repaid = min(before.repaid, self.lots[lot].shortfall)
        if change.spent > 0 { self.lots[lot].start(at: now) }
        let after = self.lots[lot]
        self.post(
            ModelEntry(
                kind: kind,
                unit: after.unit,
                amount: after.remaining - before.remaining,
                owedChange: after.owed - before.owed + change.owedElsewhere,
                balanceAfter: self.stored(after.unit),
                lot: lot,
                booking: booking
            )
        )
        if after.repaid < before.repaid { self.release(before.repaid - after.repaid, of: lot, at: now) }
    }

    /// Adds a lot without any amount, and returns its number.
    mutating func add(_ lot: ModelLot) -> Int {
        self.lots.append(lot)
        return self.lots.count - 1
    }

    mutating func open(_ lot: ModelLot, _ kind: String, amount: Int64, at now: Date) -> Int {
        let opened = self.add(lot)
        self.change(opened, kind, LotChange(granted: amount), at: now)
        self.settle(opened, at: now)
        return opened
    }

    /// Settles credits that become free on a lot: they lapse if the lot has expired, otherwise they repay debts first.
    mutating func settle(_ lot: Int, at now: Date) {
        self.lapse(lot, at: now)
        self.repayDebts(from: lot, at: now)
    }

    mutating func lapse(_ lot: Int, booking: Int? = nil, at now: Date) {
        guard self.lots[lot].isDue(at: now) else { return }
        self.change(lot, "lapse", LotChange(lapsed: self.lots[lot].remaining), booking: booking, at: now)
    }

    /// Posts due expiries, as every function does first that locks a wallet (rule 6).
    mutating func lapseDue(at now: Date) {
        let due = self.lots.indices.filter { self.lots[$0].isDue(at: now) }.sorted(by: self.burnOrder)
        for lot in due { self.lapse(lot, at: now) }
    }

    /// Moves all lots of another wallet into this one, with their repayments, and returns the number of the first.
    ///
    /// Both ledgers get an entry for each lot, the oldest first. Then the moved lots repay debts, as grants do.
    mutating func takeOver(_ other: inout ModelWallet, at now: Date) -> Int {
        let offset = self.lots.count
        let order = other.lots.indices.sorted(by: other.isOlder)
        var left = Dictionary(uniqueKeysWithValues: CreditUnit.allCases.map { ($0, other.stored($0)) })
        var held = Dictionary(uniqueKeysWithValues: CreditUnit.allCases.map { ($0, self.stored($0)) })
        for number in order {
            let lot = other.lots[number]
            left[lot.unit, default: 0] -= lot.remaining
            held[lot.unit, default: 0] += lot.remaining
            other.post(Self.transfer("transfer_out", of: lot, number, -1, left[lot.unit] ?? 0))
            self.post(Self.transfer("transfer_in", of: lot, offset + number, 1, held[lot.unit] ?? 0))
        }
        self.lots += other.lots
        self.repayments += other.repayments.map {
            Repayment(debtor: offset + $0.debtor, payer: offset + $0.payer, amount: $0.amount)
        }
        for number in order { self.settle(offset + number, at: now) }
        return offset
    }

    private static func transfer(
        _ kind: String,
        of lot: ModelLot,
        _ number: Int,
        _ sign: Int64,
        _ balance: Int64
    ) -> ModelEntry {
        ModelEntry(
            kind: kind,
            unit: lot.unit,
            amount: sign * lot.remaining,
            owedChange: sign * lot.owed,
            balanceAfter: balance,
            lot: number
        )
    }

    /// Repays debts from a lot, the oldest debt first (rule 24).
    private mutating func repayDebts(from payer: Int, at now: Date) {
        let unit = self.lots[payer].unit
        let debtors = self.lots.indices.filter { $0 != payer && self.lots[$0].unit == unit && self.lots[$0].owed > 0 }
        for debtor in debtors.sorted(by: self.isOlder) {
            let share = min(self.lots[payer].remaining, self.lots[debtor].owed)
            guard share > 0 else { return }
            self.lots[debtor].repaid += share
            if let known = self.repayments.firstIndex(where: { $0.debtor == debtor && $0.payer == payer }) {
                self.repayments[known].amount += share
            } else {
                self.repayments.append(Repayment(debtor: debtor, payer: payer, amount: share))
            }
            self.change(payer, "repay", LotChange(spent: share, owedElsewhere: -share), at: now)
        }
    }

    /// Returns repayments to the lots that paid them when a debt shrinks, the last payer first.
    private mutating func release(_ amount: Int64, of debtor: Int, at now: Date) {
        var left = amount
        while left > 0 {
            let paid = self.repayments.indices.filter {
                self.repayments[$0].debtor == debtor && self.repayments[$0].amount > 0
            }
            guard
                let last = paid.max(by: { self.isOlder(self.repayments[$0].payer, self.repayments[$1].payer) })
            else { return }
            let share = min(left, self.repayments[last].amount)
            let payer = self.repayments[last].payer
            self.repayments[last].amount -= share
            left -= share
            self.change(payer, "repay_return", LotChange(spent: -share), at: now)
            self.settle(payer, at: now)
        }
    }
}
