import Hummingbird
import StoreSync
import Wallet

/// The Supabase-compatible routes: the service's operations with the paths and formats of edge functions.
struct SupabaseFunctions {
    let wallet: Wallet

    func addPublic(to router: Router<AppRequestContext>) {
        CreditPackFunctions(wallet: self.wallet).addPublic(to: router.group(RouterPath(FunctionsPath.prefix)))
    }

    /// Adds the routes of signed-in users.
    ///
    /// - Parameters:
    ///   - users: The group that requires a token and an existing account.
    ///   - intake: The intake of purchases.
    ///   - limiter: The limit on receipts, which these routes share with `POST /receipts`.
    func add(to users: some RouterMethods<UserRequestContext>, intake: PurchaseIntake, limiter: UserRateLimiter) {
        let functions = users.group(RouterPath(FunctionsPath.prefix))
        ValidateReceiptFunction(wallet: self.wallet, intake: intake, limiter: limiter).add(to: functions)
        CreditPackFunctions(wallet: self.wallet).add(to: functions)
        BookingFunctions(wallet: self.wallet).add(to: functions)
        BookingListFunctions(wallet: self.wallet).add(to: functions)
    }
}

/// Converts every refusal under `/functions/v1` to the format of Supabase clients, even if no route matches.
///
/// This middleware runs outside ``ProblemMiddleware``, so every failure that it sees is a ``Problem``.
struct FunctionsMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard FunctionsPath.covers(request) else { return try await next(request, context) }
        do {
            return try await next(request, context)
        } catch var problem as Problem {
            problem.form = .envelope
            if problem.slug == "route-not-found", let advice = FunctionsPath.advice(for: request) {
                problem.detail = advice
            }
            throw problem
        }
    }
}

/// Recognises requests to the Supabase API, and returns advice for functions that no longer exist.
enum FunctionsPath {
    /// The prefix of all paths of the Supabase API.
    static let prefix = "functions/v1"

    /// Returns whether a request's path belongs to the Supabase API, even if no route matches.
    static func covers(_ request: Request) -> Bool {
        let parts = request.uri.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        return parts.count > 1 && parts[0].elementsEqual("functions".utf8) && parts[1].elementsEqual("v1".utf8)
    }

    /// Returns the replacement for a function that sold credits by card; nil for other paths.
    static func advice(for request: Request) -> String? {
        let function = Self.parts(of: request).dropFirst(2)
        guard Self.sellers.contains(where: { function.starts(with: $0) }) else { return nil }
        return "Users buy credits in the app's store. Send the purchase to POST /\(Self.prefix)/validate-receipt."
    }

    private static let sellers: [[Substring]] = [
        ["credit-packs", "purchase"], ["purchase-credits"], ["payments"], ["credit-webhooks"],
    ]

    /// Returns the path's segments.
    ///
    /// Doubled slashes are ignored here; such a path is refused elsewhere, in the Supabase format.
    private static func parts(of request: Request) -> [Substring] {
        request.uri.path.split(separator: "/")
    }
}
