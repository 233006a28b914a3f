import Hummingbird

extension SandboxStores {
    private struct NewFault: Decodable {
        let status: Int?
        let delayMs: Int?
        let count: Int?
        let body: String?
        let kind: String?
        let isRetryable: Bool?
        let environment: String?
        let target: String?
    }

    func addFaultRoutes(to router: Router<SandboxContext>) {
        router.post("sandbox/faults") { request, context in
            let new = try await request.control(NewFault.self, context)
            let count = new.count ?? 1
            guard (1...1_000_000).contains(count) else {
                throw ControlRefusal.member("count", "must be from 1 to 1000000", received: "\(count)")
            }
            let target = try Self.target(of: new)
            self.faults.add(
                try Self.fault(from: new, target),
                target: target,
                side: try Self.side(of: new),
                count: count
            )
            return ["pending": self.faults.remaining]
        }
        router.delete("sandbox/faults") { _, _ in
            self.faults.clear()
            return HTTPResponse.Status.noContent
        }
    }

    private static func side(of new: NewFault) throws -> SandboxTransaction.Environment? {
        guard let name = new.environment else { return nil }
        guard let side = SandboxTransaction.Environment(rawValue: name) else {
            throw ControlRefusal.member("environment", "must be production or sandbox", received: name)
        }
        return side
    }

    private static func target(of new: NewFault) throws -> FaultTarget {
        guard let target = FaultTarget(rawValue: new.target ?? FaultTarget.receipt.rawValue) else {
            throw ControlRefusal.member(
                "target",
                "must be receipt, server_api, revenuecat, play or notifications",
                received: new.target ?? ""
            )
        }
        return target
    }

    private static func fault(from new: NewFault, _ target: FaultTarget) throws -> Fault {
        let delay = new.delayMs ?? 0
        guard (0...600_000).contains(delay) else {
            throw ControlRefusal.member("delay_ms", "must be from 0 to 600000", received: "\(delay)")
        }
        let kind = try self.kind(from: new)
        if case .store = kind, target != .receipt {
            throw ControlRefusal.invalid("Statuses 21000 to 21199 are allowed only for the target receipt.")
        }
        return Fault(kind: kind, delay: .milliseconds(delay))
    }

    private static func kind(from new: NewFault) throws -> Fault.Kind {
        switch (new.kind, new.status) {
        case ("html", nil): return .html
        case ("truncated", nil): return .truncated
        case ("hang", nil): return .hang
        case ("reset", nil): return .reset
        case (nil, nil): return .slow
        case (nil, .some(let status)) where (200...599).contains(status):
            return .http(status, body: new.body ?? "")
        case (nil, .some(let status)) where (21_000...21_199).contains(status):
            return .store(status, isRetryable: new.isRetryable)
        default:
            throw ControlRefusal.invalid(
                "Send kind (html, truncated, hang, reset), or status (200 to 599, 21000 to 21199), or delay_ms alone."
            )
        }
    }
}
