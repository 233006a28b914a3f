import Foundation
import Wallet

extension IDToken {
    /// Refuses a token from another issuer (OpenID Connect Core 3.1.3.7, 2).
    func checkIssuer(_ issuer: String) throws(SignInError) {
        guard let own = try self.text("iss") else { throw .idToken(.malformed) }
        guard RandomText.isSame(own, issuer) else { throw .idToken(.issuer) }
    }

    /// Refuses a token for another client, and a token that another client received and passed on (3 to 5).
    func checkAudience(_ clientID: String) throws(SignInError) {
        let audiences: [String]
        switch self.claims["aud"] {
        case .text(let audience): audiences = [audience]
        case .array(let values): audiences = values.compactMap(\.text)
        default: throw .idToken(.malformed)
        }
        guard audiences.contains(where: { RandomText.isSame($0, clientID) }) else { throw .idToken(.audience) }
        let party = try self.text("azp")
        if party == nil && audiences.count == 1 { return }
        guard let party, RandomText.isSame(party, clientID) else { throw .idToken(.authorizedParty) }
    }

    /// Refuses a token outside its time range (9 and 10), with an allowance for differing clocks.
    func checkTime(_ now: Date, leeway: Double) throws(SignInError) {
        guard let expiry = try self.instant("exp"), let issued = try self.instant("iat") else {
            throw .idToken(.malformed)
        }
        guard now < expiry.addingTimeInterval(leeway) else { throw .idToken(.expired) }
        for instant in [issued, try self.instant("nbf"), try self.instant("auth_time")] {
            if let instant, instant > now.addingTimeInterval(leeway) { throw .idToken(.future) }
        }
    }

    /// Refuses a token for another sign-in (11).
    func checkNonce(_ nonce: String) throws(SignInError) {
        guard let own = try self.text("nonce"), RandomText.isSame(own, nonce) else { throw .idToken(.nonce) }
    }

    /// Refuses a token unless it states that the operator authenticated after an instant (12 and 13).
    func checkAuthenticated(since instant: Date, leeway: Double) throws(SignInError) {
        guard let authenticated = try self.instant("auth_time") else { throw .noAuthenticationTime }
        guard authenticated >= instant.addingTimeInterval(-leeway) else { throw .notAuthenticatedAgain }
    }

    /// Returns an optional text claim; throws if the claim has another type.
    func text(_ name: String) throws(SignInError) -> String? {
        switch self.claims[name] {
        case .text(let text): return text
        case nil, .null: return nil
        default: throw .idToken(.malformed)
        }
    }

    /// Returns an optional claim in seconds since 1970; throws if the claim has another type.
    func instant(_ name: String) throws(SignInError) -> Date? {
        switch self.claims[name] {
        case .number(let seconds): return Date(timeIntervalSince1970: NSDecimalNumber(decimal: seconds).doubleValue)
        case nil, .null: return nil
        default: throw .idToken(.malformed)
        }
    }
}
