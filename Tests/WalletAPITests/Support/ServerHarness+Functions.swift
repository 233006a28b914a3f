import Foundation
import HTTPTypes
import Testing
import Wallet

@testable import WalletAPI

extension Answer {
    /// The data of a function's response, if it is a valid success envelope.
    var data: [String: Any]? { self.successData as? [String: Any] }

    /// The list of rows in a function's response.
    var rows: [[String: Any]]? { self.successData as? [[String: Any]] }

    /// The code of a refusal, if it is a valid failure envelope.
    var code: String? { self.failure?["code"] as? String }

    var details: [String: Any]? { self.failure?["details"] as? [String: Any] }

    var meta: [String: Any]? { (try? self.json)?["meta"] as? [String: Any] }

    private var successData: Any? {
        guard self.isEnvelope, let json = try? self.json, json["success"] as? Bool == true, json["error"] == nil else {
            return nil
        }
        return json["data"]
    }

    private var failure: [String: Any]? {
        guard self.isEnvelope, let json = try? self.json, json["success"] as? Bool == false, json["data"] == nil,
            let error = json["error"] as? [String: Any], error["message"] is String,
            (error["timestamp"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
        else { return nil }
        return error
    }

    /// A Boolean value that indicates whether the response has the members and headers common to all functions.
    private var isEnvelope: Bool {
        self.headers[.contentType] == "application/json" && self.headers[.accessControlAllowOrigin] == "*"
            && self.meta?["request_id"] as? String == self.headers[.requestID] && !self.text.contains(":null")
    }
}

extension ServerHarness {
    /// Calls a function with the headers of Supabase's clients.
    func call(
        _ method: HTTPRequest.Method,
        _ function: String,
        as user: String? = nil,
        headers: [String: String] = [:],
        json: [String: any Sendable]? = nil
    ) async throws -> Answer {
        let sent = [
            "apikey": "sb_publishable_of_no_meaning", "x-client-info": "supabase-js/2.0", "x-region": "eu-west-1",
        ]
        let body = try json.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
        let uri = "/functions/v1/\(function)\(function.contains("?") ? "&" : "?")forceFunctionRegion=eu-west-1"
        return try await self.send(method, uri, as: user, headers: sent.merging(headers) { $1 }, body: body)
    }

    /// Books with credits for guests who only have names.
    func bookWithCredits(_ id: String, seats: Int = 1, as user: String, key: String? = nil) async throws -> Answer {
        let people = (0..<seats).map { ["name": "Guest \($0)"] }
        return try await self.call(
            .post,
            "credit-packs/book-with-credits",
            as: user,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:],
            json: ["class_id": id, "attendees": people, "user_id": "somebody-else", "credits_used": 0]
        )
    }

    /// Creates a class that can be paid with visits only.
    func makeVisitClass(_ id: String) async throws -> Answer {
        let start = try await self.wallet.now().addingTimeInterval(259_200)
        let times = ["starts_at": start.formatted(.iso8601), "ends_at": (start + 3_600).formatted(.iso8601)]
        let rest: [String: any Sendable] = ["title": "Wheel", "capacity": 5, "price": ["visits": 1]]
        return try await self.send(
            .put,
            "/operator/classes/\(id)",
            token: Self.operatorToken(),
            headers: ["Idempotency-Key": UUID().uuidString],
            json: rest.merging(times) { $1 }
        )
    }

    /// Grants a user the hundred credits of a pack.
    func stock(_ user: String, environment: String = "production") async throws {
        let sale = try await self.buy(user, environment: environment)
        #expect(try await self.submit(sale.receipt, as: user).status == 200)
    }
}
