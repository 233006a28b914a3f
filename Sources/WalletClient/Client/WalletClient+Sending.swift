import Foundation

extension WalletClient {
    private struct AttemptFailure: Error {
        let error: any Error
        let mayPass: Bool
    }

    /// Sends a call and returns the successful response, after retries and at most one token renewal.
    func perform(_ call: WalletCall) async throws -> TransportResponse {
        var attempt = 1
        var isRenewed = false
        var fresh: String?
        while true {
            let token = call.isPublic ? nil : fresh == nil ? try await self.token() : fresh
            fresh = nil
            switch await self.attempt(call, token: token) {
            case .success(let response) where (200..<300).contains(response.status):
                return response
            case .success(let response):
                let problem = WalletProblem(response)
                if !isRenewed, let renewed = try await self.renewed(token, after: problem) {
                    (isRenewed, fresh) = (true, renewed)
                    continue
                }
                guard
                    call.isRepeatable, [429, 503].contains(problem.status),
                    let delay = self.retryPolicy.delay(after: attempt, retryAfter: problem.retryAfter)
                else { throw problem }
                try await Task.sleep(for: delay)
            case .failure(let failure):
                guard failure.mayPass, call.isRepeatable,
                    let delay = self.retryPolicy.delay(after: attempt, retryAfter: nil)
                else { throw failure.error }
                try await Task.sleep(for: delay)
            }
            attempt += 1
        }
    }

    /// Sends a streaming call and passes each piece of the response body to `receive` until the stream ends.
    nonisolated func stream(_ call: WalletCall, _ receive: (Data) throws -> Void) async throws {
        let token = try await self.token()
        let response = try await self.openStream(call, token: token, receive)
        guard !(200..<300).contains(response.status) else { return }
        let problem = WalletProblem(response)
        guard let renewed = try await self.renewed(token, after: problem) else { throw problem }
        let second = try await self.openStream(call, token: renewed, receive)
        guard (200..<300).contains(second.status) else { throw WalletProblem(second) }
    }

    /// Returns a new token after a 401 response; nil if the response is not 401 or the provider returns the same token.
    private nonisolated func renewed(_ token: String?, after problem: WalletProblem) async throws -> String? {
        guard problem.status == 401, let token else { return nil }
        let renewed = try await self.token()
        return renewed == token ? nil : renewed
    }

    private nonisolated func openStream(
        _ call: WalletCall,
        token: String,
        _ receive: (Data) throws -> Void
    ) async throws -> TransportResponse {
        let request = call.request(baseURL: self.baseURL, token: token, environment: await self.environment)
        do {
            return try await self.transport.stream(request, receive)
        } catch let error as WalletClientError {
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw WalletClientError(.unreachable, underlyingError: error)
        }
    }

    private func attempt(_ call: WalletCall, token: String?) async -> Result<TransportResponse, AttemptFailure> {
        let sent = self.position.mark
        let request = call.request(
            baseURL: self.baseURL,
            token: token,
            environment: self.environment,
            position: sent.token
        )
        var answered: String?
        defer { self.position.take(answered, sent: sent) }
        do {
            let response = try await self.transport.send(request)
            answered = response.header(ReadPosition.header)
            return .success(response)
        } catch let error as WalletClientError where error.code == .invalidURL {
            return .failure(AttemptFailure(error: error, mayPass: false))
        } catch {
            if Task.isCancelled { return .failure(AttemptFailure(error: CancellationError(), mayPass: false)) }
            return .failure(
                AttemptFailure(error: WalletClientError(.unreachable, underlyingError: error), mayPass: true)
            )
        }
    }
}
