import Foundation

/// Reads what a token endpoint answers (RFC 6749, OpenID Connect Core 3.1.3.3).
enum TokenAnswer {
    private struct Tokens: Decodable {
        let type: String
        let idToken: String

        enum CodingKeys: String, CodingKey {
            case type = "token_type"
            case idToken = "id_token"
        }
    }

    private struct Refusal: Decodable {
        let error: String
    }

    /// Takes the ID token out; the others are not needed, and not kept.
    static func idToken(json: Data) throws(SignInError) -> String {
        let tokens: Tokens
        do {
            tokens = try JSONDecoder().decode(Tokens.self, from: json)
        } catch {
            throw .answerUnreadable
        }
        guard tokens.type.lowercased() == "bearer" else { throw .answerUnreadable }
        return tokens.idToken
    }

    /// Finds out why the code was not exchanged; what the issuer wrote goes no further.
    static func refusal(status: Int, json: Data) -> SignInError {
        guard (400..<500).contains(status) else { return .issuerUnavailable }
        switch (try? JSONDecoder().decode(Refusal.self, from: json))?.error {
        case "invalid_grant": return .codeRefused
        case "invalid_client", "unauthorized_client": return .clientRefused
        default: return status == 401 ? .clientRefused : .exchangeRefused
        }
    }
}
