import Foundation
import Postgres
import Stores
import Wallet

extension WalkDriver {
    /// Compares the API's balance of the wallet that a step touched, less due expiries.
    mutating func compareBalance(_ place: String, _ step: WalkStep) async throws {
        let key = self.books.root(self.touched(by: step))
        let balance = try await self.database.wallet.balance(of: self.user(key.user), in: key.environment)
        let lots = balance.lots.map {
            "\(self.names.lot($0.lotID)): \($0.remaining) of \($0.granted) \($0.expiresAt.walkText)"
        }
        let expirations = balance.upcomingExpirations.map {
            "\($0.amount) \($0.unit.rawValue) \(Date?.some($0.expiresAt).walkText)"
        }
        let found =
            "\(key): \(balance.credits) credits \(balance.visits) visits unlimited \(balance.unlimited) "
            + "owed \(balance.owedCredits) and \(balance.owedVisits) version \(balance.version) \(lots) \(expirations)"
        try Self.compare(place, step, self.books.text(balanceOf: key), found)
    }

    private mutating func touched(by step: WalkStep) -> WalletKey {
        switch step {
        case .apply(let fact, let user), .tell(let fact, let user):
            WalletKey(user: user, environment: WalletEnvironment(fact.environment))
        case .book(_, let key, _), .quote(_, let key), .cancel(_, let key), .checkIn(_, let key), .read(let key): key
        case .waive(let booking): self.books.bookings[booking].key
        case .mark(let bookings, _, _, _): bookings.first.map { self.books.bookings[$0].key } ?? self.plan.wallet()
        case .join(_, let key), .leave(_, let key), .consume(_, _, let key): key
        case .adjust(let adjustment, _, _, _): adjustment.key
        case .operate(let asked, _): asked.adjustment.key
        case .importBalance(let balance, _): balance.key
        case .signIn(let user, _), .merge(_, let user): WalletKey(user: user, environment: .production)
        case .setWallet(let user, _, _, _): WalletKey(user: user, environment: .production)
        default: self.plan.wallet()
        }
    }
}

extension Books {
    func text(balanceOf key: WalletKey) -> String {
        let wallet = self[key]
        let open = wallet.lots.indices.filter { wallet.lots[$0].pays(at: self.now) }
        let lots = [CreditUnit.visit, .credit].flatMap { unit in
            open.filter { wallet.lots[$0].unit == unit }.sorted(by: wallet.burnOrder)
        }.map { number in
            let lot = wallet.lots[number]
            return "\(LotKey(wallet: key, lot: number)): \(lot.remaining) of \(lot.granted) \(lot.expiresAt.walkText)"
        }
        var ahead: [Date: [CreditUnit: Int64]] = [:]
        for number in open {
            guard let expiresAt = wallet.lots[number].expiresAt else { continue }
            ahead[expiresAt, default: [:]][wallet.lots[number].unit, default: 0] += wallet.lots[number].remaining
        }
        let expirations = ahead.sorted { $0.key < $1.key }.flatMap { instant, amounts in
            [CreditUnit.credit, .visit].compactMap { unit in
                amounts[unit].map { "\($0) \(unit.rawValue) \(Date?.some(instant).walkText)" }
            }
        }
        return
            "\(key): \(wallet.spendable(.credit, at: self.now)) credits \(wallet.spendable(.visit, at: self.now)) visits "
            + "unlimited \(self.isUnlimited(key)) owed \(wallet.owed(.credit)) and \(wallet.owed(.visit)) "
            + "version \(wallet.version) \(lots) \(expirations)"
    }
}
