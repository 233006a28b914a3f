import Foundation
import Wallet

/// An operator's request, stored under its idempotency key.
enum ModelOperatorRequest: Equatable {
    case putClass(String, ModelTerms)
    case cancelClass(String, reason: String)
    case adjust(ModelOperatorAdjustment)
}

extension Books {
    /// Creates or changes a class, once per key.
    ///
    /// Sold seats cannot be removed, a class that has begun keeps its times, and no class may start in the past.
    mutating func putClass(_ id: String, _ terms: ModelTerms, key: String) -> Result<ModelClass, ModelRefusal> {
        let request = ModelOperatorRequest.putClass(id, terms)
        if let known = self.operatorRequests[key] {
            guard known == request, let session = self.classes[id] else {
                return .failure(ModelRefusal(status: 422, slug: "idempotency-key-reused"))
            }
            return .success(session)
        }
        let known = self.classes[id]
        if let known, known.isCancelled || (known.terms.startsAt <= self.now && !known.terms.isAtTheTimes(of: terms)) {
            return .failure(ModelRefusal(status: 409, slug: "class-closed"))
        }
        if terms.startsAt <= self.now, known?.terms.startsAt != terms.startsAt {
            return .failure(ModelRefusal(status: 422, slug: "class-in-the-past"))
        }
        let most = known?.seats.values.map(\.sold).max() ?? 0
        if terms.capacity < most {
            let members = ["seats_sold": "\(most)", "capacity": "\(terms.capacity)"]
            return .failure(ModelRefusal(status: 409, slug: "capacity-below-sold", members: members))
        }
        self.operatorRequests[key] = request
        var terms = terms
        let policy = terms.policyID.flatMap { self.policies[$0] }
        if let policy { terms.freeMinutesBefore = policy.freeMinutesBefore }
        var session = known.map { self.changed($0, to: terms) } ?? ModelClass(terms: terms)
        session.policy = policy
        self.classes[id] = session
        return .success(session)
    }

    /// Returns a class with changed terms.
    ///
    /// If the start changes while users have booked or wait, the class has moved.
    ///
    /// Added seats are held for the waitlist like freed seats, and a smaller capacity takes held seats first. After a
    /// move all unsold seats are offered to the waitlist again.
    private mutating func changed(_ known: ModelClass, to terms: ModelTerms) -> ModelClass {
        var session = known
        let isWanted = known.seats.values.contains { $0.sold > 0 || !$0.waiting.isEmpty }
        let isMoved = known.terms.startsAt != terms.startsAt && isWanted
        if isMoved { session.moves += 1 }
        session.terms = terms
        for environment in WalletEnvironment.allCases {
            let room = terms.capacity - session[environment].sold
            session[environment].held = min(session[environment].held, room)
            if session[environment].held < known[environment].held { self.note("held seats taken away") }
            let gained = isMoved ? room : terms.capacity - known.terms.capacity
            session.hold(gained, in: environment, at: self.now)
        }
        return session
    }

    /// Cancels a class (rule 21): it takes no further bookings, and existing bookings are settled one after the other.
    mutating func cancelClass(_ id: String, reason: String, key: String) -> ModelRefusal? {
        let request = ModelOperatorRequest.cancelClass(id, reason: reason)
        if let known = self.operatorRequests[key] {
            return known == request ? nil : ModelRefusal(status: 422, slug: "idempotency-key-reused")
        }
        guard var session = self.classes[id] else { return ModelRefusal(status: 404, slug: "class-not-found") }
        if !session.isCancelled {
            if session.terms.startsAt <= self.now { return ModelRefusal(status: 409, slug: "class-closed") }
            session.isCancelled = true
            for environment in WalletEnvironment.allCases {
                for waiting in session[environment].waiting {
                    self.tell("waitlist.removed", WalletKey(user: waiting.user, environment: environment))
                    self.note("sent away from the waitlist")
                }
                session[environment].held = 0
                session[environment].waiting = []
            }
            self.classes[id] = session
        }
        self.operatorRequests[key] = request
        return nil
    }
}

extension ModelTerms {
    fileprivate func isAtTheTimes(of other: ModelTerms) -> Bool {
        self.startsAt == other.startsAt && self.endsAt == other.endsAt
    }
}
