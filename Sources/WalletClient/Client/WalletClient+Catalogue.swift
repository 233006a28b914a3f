import Foundation

extension WalletClient {
    private struct PackList: Decodable {
        let packs: [Pack]
    }

    private struct PlanList: Decodable {
        let plans: [Plan]
    }

    private struct ClassPage: Decodable {
        let classes: [ClassSession]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case classes
            case nextCursor = "next_cursor"
        }
    }

    /// Lists the packs and passes on sale; anyone may.
    /// - Returns: the packs in the order in which to show them.
    /// - Throws: ``WalletProblem``.
    public func packs() async throws -> [Pack] {
        try await self.send(WalletCall(path: ["packs"], isPublic: true), as: PackList.self).0.packs
    }

    /// Lists the subscription tiers on sale; anyone may.
    /// - Returns: the plans in the order in which to show them.
    /// - Throws: ``WalletProblem``.
    public func plans() async throws -> [Plan] {
        try await self.send(WalletCall(path: ["plans"], isPublic: true), as: PlanList.self).0.plans
    }

    /// Lists classes; anyone may.
    /// - Parameters:
    ///   - cursor: where to go on; nil for the first page.
    ///   - limit: how many at most.
    /// - Returns: a page of classes, with the seats of the client's environment.
    /// - Throws: ``WalletProblem``.
    public func classes(cursor: String? = nil, limit: Int? = nil) async throws -> Page<ClassSession> {
        let call = WalletCall(
            path: ["classes"],
            query: [("cursor", cursor), ("limit", limit.map(String.init))],
            isPublic: true
        )
        let page = try await self.send(call, as: ClassPage.self).0
        return Page(items: page.classes, nextCursor: page.nextCursor)
    }

    /// Reads one class; anyone may.
    /// - Parameter id: the class's id.
    /// - Returns: the class, with the seats of the client's environment.
    /// - Throws: ``WalletProblem``, such as `class-not-found`.
    public func classSession(_ id: String) async throws -> ClassSession {
        try await self.send(WalletCall(path: ["classes", id], isPublic: true), as: ClassSession.self).0
    }
}
