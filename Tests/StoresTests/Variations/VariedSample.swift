import Foundation
import TestSupport

@testable import Stores

/// A payload of a store, with the rules that its facts must keep when one member changes.
struct VariedSample: Sendable {
    /// The longest time before a period at which its renewal is charged.
    private static let ahead: TimeInterval = 2 * 86_400

    let name: String
    let json: Data
    /// The time at which the sample is read.
    let now: Date
    /// A Boolean value that indicates whether the store reports the period as over, whatever the payload's dates are.
    var isOver = false
    /// Members whose absence has a meaning, so that a payload without them is another valid payload.
    var tellingAbsences: Set<String> = []
    /// Members that contain the period's end; a later value is a longer period.
    var ends: Set<String> = []
    let read: @Sendable (Data) async throws(StoreError) -> [StoreFact]

    /// The results of a sample's variations.
    struct Findings: Sendable {
        var variations = 0
        var refused = 0
        var complaints: [String] = []
    }

    /// Reads every variation.
    ///
    /// - Returns: The counts, and one line for each variation that grants more than the sample.
    /// - Throws: ``StoreError`` if the sample itself is unreadable.
    func findings(refusedWith codes: Set<StoreError.Code>) async throws -> Findings {
        let sample = try await self.read(self.json)
        var findings = Findings()
        for variation in try JSONVariation.all(of: self.json) {
            findings.variations += 1
            do throws(StoreError) {
                let facts = try await self.read(variation.json)
                for complaint in self.complaints(about: facts, of: variation, beside: sample) {
                    findings.complaints.append("\(self.name): \(variation): \(complaint)")
                }
            } catch {
                findings.refused += 1
                if !codes.contains(error.code) {
                    findings.complaints.append("\(self.name): \(variation): refused as \(error.code)")
                }
            }
        }
        return findings
    }

    private func complaints(
        about facts: [StoreFact],
        of variation: JSONVariation,
        beside sample: [StoreFact]
    ) -> [String] {
        var complaints: [String] = []
        if facts.count > sample.count { complaints.append("\(facts.count) facts instead of \(sample.count)") }
        for fact in facts {
            let all = sample.map { self.complaints(about: fact, of: variation, beside: $0) }
            guard let fewest = all.min(by: { $0.count < $1.count }) else { continue }
            complaints += fewest
        }
        return complaints
    }

    private func complaints(about fact: StoreFact, of variation: JSONVariation, beside told: StoreFact) -> [String] {
        var complaints: [String] = []
        if fact.store != told.store && fact.store.rawValue != "x" { complaints.append("store \(fact.store.rawValue)") }
        let isAttestedByStore = fact.storeProductID == told.storeProductID
        // A product without its base plan, or with an invented name, is another product.
        let isNobodys = fact.storeProductID.split(separator: ":").contains { ["x", "7"].contains($0) }
        guard isAttestedByStore || isNobodys || told.storeProductID.hasPrefix(fact.storeProductID) else {
            return complaints + ["product \(fact.storeProductID)"]
        }
        guard fact.isGranting, !(variation.change.isAbsence && self.tellingAbsences.contains(variation.name)) else {
            return complaints
        }
        if fact.environment == .production && told.environment == .sandbox { complaints.append("made real") }
        if !told.isGranting { complaints.append("grants") }
        if fact.worth > told.worth { complaints.append("\(fact.worth) millionths instead of \(told.worth)") }
        if fact.reportedAmount ?? 0 > told.reportedAmount ?? 0 {
            complaints.append("\(fact.reportedAmount ?? 0) credits")
        }
        // An unknown period type of the store is not a trial.
        if told.periodType == .trial && fact.periodType != .trial && variation.change != .text {
            complaints.append("a trial is paid")
        }
        // The beginning of a period may be estimated from its end.
        if !self.ends.contains(variation.name),
            fact.purchasedAt > max(told.purchasedAt, self.now.addingTimeInterval(Self.ahead))
        {
            complaints.append("bought in the future")
        }
        return complaints + self.complaints(aboutEndOf: fact, of: variation, beside: told)
    }

    private func complaints(
        aboutEndOf fact: StoreFact,
        of variation: JSONVariation,
        beside told: StoreFact
    ) -> [String] {
        guard let end = fact.expiresAt else { return [] }
        if self.isOver && end > self.now { return ["lives until \(end) though over"] }
        guard !self.ends.contains(variation.name), end > told.expiresAt ?? .distantPast else { return [] }
        return ["lives until \(end) instead of \(told.expiresAt?.description ?? "an unknown end")"]
    }
}

extension StoreFact {
    /// A Boolean value that indicates whether the fact alone grants something to its owner.
    fileprivate var isGranting: Bool {
        (!self.pending || self.reportedAmount != nil) && self.ownership == .purchased && self.worth > 0
    }

    fileprivate var worth: Int { self.quantity * (1_000_000 - (self.refundedMillionths ?? 0)) }
}
