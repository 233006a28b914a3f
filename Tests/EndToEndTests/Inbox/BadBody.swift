import Testing

/// An invalid request body with the expected refusal.
struct BadBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let outcome: String

    init(_ description: String, _ text: String, _ outcome: String = "400 malformed-request") {
        self.testDescription = description
        self.text = text
        self.outcome = outcome
    }

    static let bookings = [
        BadBody("nothing", ""),
        BadBody("half an object", #"{"class_id":"c""#),
        BadBody("a list", "[]"),
        BadBody("no class", "{}"),
        BadBody("a null class", #"{"class_id":null}"#),
        BadBody("a number for a class", #"{"class_id":7}"#),
        BadBody("a class with a blank", #"{"class_id":"a b"}"#),
        BadBody("no seats", #"{"class_id":"c","seats":0}"#),
        BadBody("negative seats", #"{"class_id":"c","seats":-1}"#),
        BadBody("many seats", #"{"class_id":"c","seats":101}"#),
        BadBody("the largest number of seats", #"{"class_id":"c","seats":9223372036854775807}"#),
        BadBody("seats beyond 64 bits", #"{"class_id":"c","seats":92233720368547758070}"#),
        BadBody("seats beyond all bits", #"{"class_id":"c","seats":1e400}"#),
        BadBody("half a seat", #"{"class_id":"c","seats":0.5}"#),
        BadBody("seats as text", #"{"class_id":"c","seats":"1"}"#),
        BadBody("a negative limit", #"{"class_id":"c","max_amount":-20}"#),
        BadBody("a huge limit", #"{"class_id":"c","max_amount":9223372036854775807}"#),
        BadBody("unknown means", #"{"class_id":"c","pay_with":"gold"}"#),
        BadBody("a NUL byte", "{\"class_id\":\"a\u{0}b\"}"),
        BadBody("an escaped NUL", #"{"class_id":"c","pay_with":"\u0000"}"#),
    ]

    static let receipts = [
        BadBody("no proof", #"{"store":"app_store"}"#),
        BadBody("no store", #"{"receipt":"QUJD"}"#),
        BadBody("an unknown store", #"{"store":"corner_shop","receipt":"QUJD"}"#),
        BadBody("two proofs", #"{"store":"app_store","receipt":"QUJD","signed_transaction":"a.b.c"}"#),
        BadBody("a number for a receipt", #"{"store":"app_store","receipt":1}"#),
        BadBody("an empty receipt", #"{"store":"app_store","receipt":""}"#, "400 malformed-receipt"),
        BadBody("no base64", #"{"store":"app_store","receipt":"!!!!"}"#, "400 malformed-receipt"),
        BadBody("a plain transaction", #"{"store":"app_store","receipt":{"id":1}}"#, "400 unsigned-transaction"),
        BadBody(
            "a plain transaction in base64",
            #"{"store":"app_store","receipt":"eyJpZCI6MX0="}"#,
            "400 unsigned-transaction"
        ),
        BadBody("a NUL byte", "{\"store\":\"app_store\",\"receipt\":\"QUJ\u{0}D\"}"),
        BadBody("a transaction id with a NUL", #"{"store":"app_store","receipt":"QUJD","transaction_id":"\u0000"}"#),
    ]
}
