package import Hummingbird
package import StoreSync
package import Wallet
package import WalletAPI

/// The Supabase-compatible routes: the service's operations with the paths and formats of edge functions.
///
/// supabase-js sends a string body as plain text, and edge functions parse it as JSON, so these routes accept both.
package struct SupabaseFunctions: APIDialect {
    package let prefix = ["functions", "v1"]

    /// Creates the routes.
    package init() {}

    package func addPublic(to group: RouterGroup<AppRequestContext>, of wallet: Wallet) {
        CreditPackFunctions(wallet: wallet).addPublic(to: group)
    }

    package func add(
        to users: RouterGroup<UserRequestContext>,
        of wallet: Wallet,
        intake: PurchaseIntake,
        limiter: UserRateLimiter
    ) {
        ValidateReceiptFunction(wallet: wallet, intake: intake, limiter: limiter).add(to: users)
        CreditPackFunctions(wallet: wallet).add(to: users)
        BookingFunctions(wallet: wallet).add(to: users)
        BookingListFunctions(wallet: wallet).add(to: users)
    }

    package func translated(_ problem: Problem, of request: Request) -> Problem {
        var problem = problem
        problem.format = .envelope
        if problem.slug == "route-not-found", let advice = self.advice(for: request) { problem.detail = advice }
        return problem
    }

    /// Returns the replacement for a function that sold credits by card; nil for other paths.
    private func advice(for request: Request) -> String? {
        // Doubled slashes are ignored here; such a path is refused elsewhere, in the Supabase format.
        let function = request.uri.path.split(separator: "/").dropFirst(self.prefix.count)
        guard Self.sellers.contains(where: { function.starts(with: $0) }) else { return nil }
        return "Users buy credits in the app's store. Send the purchase to POST /functions/v1/validate-receipt."
    }

    private static let sellers: [[Substring]] = [
        ["credit-packs", "purchase"], ["purchase-credits"], ["payments"], ["credit-webhooks"],
    ]
}
