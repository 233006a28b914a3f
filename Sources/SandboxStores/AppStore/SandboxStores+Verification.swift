import Foundation
import Hummingbird
import NIOCore

extension SandboxStores {
    private static let largestRequest = 16 * 1_024 * 1_024

    func addVerificationRoutes(to router: Router<SandboxContext>) {
        self.addVerification(of: .production, at: "verifyReceipt", to: router)
        self.addVerification(of: .sandbox, at: "sandbox/verifyReceipt", to: router)
        router.get("sandbox/calls") { _, _ in self.calls.counts }
    }

    private func addVerification(
        of side: SandboxTransaction.Environment,
        at path: RouterPath,
        to router: Router<SandboxContext>
    ) {
        router.post(path) { request, context in
            self.calls.count(side)
            let body = try await request.body.collect(upTo: Self.largestRequest)
            if let fault = self.faults.next(for: .receipt, side: side),
                let response = try await fault.apply(in: context)
            {
                return response
            }
            let request = try? JSONDecoder().decode(VerificationRequest.self, from: Data(body.readableBytesView))
            let answer = await self.ledger.verify(request, on: side, sharedSecret: self.configuration.sharedSecret)
            return try Response.apple(answer)
        }
        router.get(path) { _, _ in try Response.apple(SandboxLedger.status(21_000)) }
    }
}

extension Response {
    /// Returns an answer of the verification endpoint; its HTTP status is always 200.
    static func apple(_ body: AppleJSON) throws -> Response {
        let data = try JSONEncoder().encode(body)
        return Response(
            status: .ok,
            headers: [.contentType: "application/json;charset=UTF-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }
}
