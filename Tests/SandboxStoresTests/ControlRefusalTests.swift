import SandboxStores
import Testing

/// Tests of refused controls: the response is a problem document with the request's member names.
@Suite
struct ControlRefusalTests {
    @Test(
        arguments: [
            ("purchases", "{}", "The member \"user_id\" is required."),
            ("purchases", #"{"user_id": "ann"}"#, "The member \"product_id\" is required."),
            ("purchases", #"{"user_id": 7, "product_id": "x"}"#, "The member \"user_id\" must be a string."),
            (
                "purchases", #"{"user_id": "ann", "product_id": "x", "quantity": 0}"#,
                "The member \"quantity\" must be from 1 to 10; received 0."
            ),
            ("purchases", "", "The body is missing; it must be a JSON object."),
            ("purchases", "{", "The body is not valid JSON."),
            ("purchases", "[]", "The body must be a JSON object."),
            ("clock", #"{"advance_seconds": "1"}"#, "The member \"advance_seconds\" must be a whole number."),
            ("faults", #"{"target": "moon"}"#, nil),
        ] as [(String, String, String?)]
    )
    func `an invalid body is refused with the members' names`(
        control: String,
        body: String,
        detail: String?
    ) async throws {
        try await Stores.run { stores async throws in
            let answer = try await stores.post("/sandbox/\(control)", text: body)
            #expect(answer.status == 400)
            #expect(answer.text("type") == "https://credit-wallet.example/problems/malformed-request")
            #expect(answer.number("status") == 400)
            #expect(answer.text("title") == "The request cannot be understood")
            if let detail { #expect(answer.text("detail") == detail) }
        }
    }

    @Test
    func `an unknown step is refused with a list of the steps`() async throws {
        try await Stores.run { stores async throws in
            let plan = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            let flown = try await stores.post("/sandbox/subscriptions/\(plan)/fly")
            #expect(flown.status == 404)
            #expect(flown.text("type")?.hasSuffix("/step-not-found") == true)
            #expect(flown.text("detail")?.contains("\"fly\"; the steps are renew, cancel") == true)
            let sold = try await stores.post("/sandbox/transactions/\(plan)/return")
            #expect(sold.text("detail")?.contains("refund-reverse") == true)
        }
    }

    @Test
    func `an unknown control returns a problem, the stores' own paths return store errors`() async throws {
        try await Stores.run { stores async throws in
            #expect(try await stores.get("/sandbox/nothing").text("type")?.hasSuffix("/route-not-found") == true)
            #expect(try await stores.get("/inApps/nothing").json.isEmpty)
        }
    }
}
