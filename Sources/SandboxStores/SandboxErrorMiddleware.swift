import Hummingbird

/// Why a control did nothing.
struct ControlRefusal: Error, Encodable {
    let status: HTTPResponse.Status
    let error: String
    let detail: String

    private enum CodingKeys: CodingKey {
        case error
        case detail
    }

    static func notFound(_ what: String) -> ControlRefusal {
        ControlRefusal(status: .notFound, error: "not-found", detail: "there is no such \(what)")
    }

    static func invalid(_ detail: String) -> ControlRefusal {
        ControlRefusal(status: .badRequest, error: "invalid-request", detail: detail)
    }

    static func conflict(_ detail: String) -> ControlRefusal {
        ControlRefusal(status: .conflict, error: "conflict", detail: detail)
    }
}

/// Answers refusals as JSON.
struct SandboxErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as ControlRefusal {
            var response = try context.responseEncoder.encode(refusal, from: request, context: context)
            response.status = refusal.status
            return response
        }
    }
}
