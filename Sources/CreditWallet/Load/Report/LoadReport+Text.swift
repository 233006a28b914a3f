import Foundation

extension LoadReport {
    /// The report in aligned lines.
    var text: String {
        let isOpen = self.plan.total != nil
        let sections = [
            [self.title],
            self.counts,
            ["  responses"] + Self.answers(self.tally.answers),
            ["  latency in ms\(isOpen ? ", from the scheduled time" : "")"]
                + Self.rows(LoadLatencies(self.tally.latency)),
            self.cancellations,
            self.reads,
            self.remarks,
            [self.closing],
        ]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private var title: String {
        let pace =
            switch self.plan.pace {
            case .open(let rate):
                "open loop, \(Self.decimal(rate)) \(self.plan.reads > 0 ? "requests" : "bookings")/s on "
                    + "\(self.plan.connections) connections"
            case .closed: "closed loop, \(self.plan.connections) clients"
            }
        let ramp = self.plan.ramp > 0 ? " after a ramp of \(self.plan.ramp) s" : ""
        let reads = self.plan.reads > 0 ? "\(Self.decimal(self.plan.reads * 100)) % reads, " : ""
        return "\(self.url): \(pace), \(self.plan.duration) s\(ramp), \(self.plan.pattern.rawValue), \(reads)"
            + "users: \(Self.number(self.users)), classes: \(Self.number(self.classes)), seed \(self.plan.seed)"
    }

    private var counts: [String] {
        var lines = [
            Self.line("sent", Self.number(self.tally.sent)),
            Self.line("booked", Self.number(self.tally.booked)) + "  \(Self.decimal(self.bookedPerSecond))/s",
            Self.line("refused", Self.number(self.tally.refused)),
            Self.line("failed", Self.number(self.tally.failed)),
        ]
        if self.tally.unsent > 0 {
            lines.append(Self.line("of these never sent", Self.number(self.tally.unsent)))
        }
        return lines
    }

    private var cancellations: [String] {
        guard self.plan.cancelled > 0 else { return [] }
        return ["  cancellations"] + Self.answers(self.tally.cancellationAnswers)
            + Self.rows(LoadLatencies(self.tally.cancellationLatency))
    }

    private var reads: [String] {
        let reads = self.tally.reads
        guard self.plan.reads > 0 else { return [] }
        let unsent = reads.unsent > 0 ? [Self.line("  never sent", Self.number(reads.unsent))] : []
        return ["  reads"] + [Self.line("  failed", Self.number(reads.failed))] + unsent + Self.answers(reads.answers)
            + Self.rows(LoadLatencies(reads.latency))
    }

    private var remarks: [String] {
        let processor = Self.decimal(self.processorMicroseconds)
        let after = "after \(Self.decimal(self.tally.elapsed)) s, so the load ended"
        let end =
            self.tally.onlyRefusal.map { "  all bookings of every user and class were refused (\($0)) \(after)" }
            ?? "  every user had booked every class \(after)"
        return (self.tally.ranOut ? [end] : [])
            + ["  the generator used \(processor) µs of processor time per request"] + self.books
    }

    private var books: [String] {
        guard let findings = self.findings else {
            return ["  the books were not checked: set --database-url to check them"]
        }
        let summary = "  \(Self.number(findings.found)) bookings of this run in the books"
        guard findings.faultCount > 0 else { return ["\(summary), all equal to the responses; every invariant holds"] }
        return [summary, "  \(Self.number(findings.faultCount)) faults:"] + findings.faults.map { "    \($0)" }
    }

    private var closing: String {
        let books = self.findings == nil ? "books not checked" : self.isInOrder ? "books in order" : "BOOKS ARE WRONG"
        return "load: \(Self.number(self.tally.booked)) bookings, \(Self.number(self.tally.failed)) failed, \(books)"
    }

    private static func answers(_ answers: [String: Int]) -> [String] {
        answers.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .map { Self.line("  \($0.key)", Self.number($0.value)) }
    }

    private static func rows(_ latencies: LoadLatencies) -> [String] {
        latencies.rows.map { Self.line("  \($0.name)", String(format: "%.2f", $0.milliseconds)) }
    }

    private static func line(_ name: String, _ value: String) -> String {
        "  \(name.padded(to: 32))\(String(repeating: " ", count: max(12 - value.count, 1)))\(value)"
    }

    private static func number(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
    }

    private static func decimal(_ number: Double) -> String {
        number < 100 && number != number.rounded()
            ? String(format: "%.1f", number) : Self.number(Int(number.rounded()))
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - self.count, 1))
    }
}
