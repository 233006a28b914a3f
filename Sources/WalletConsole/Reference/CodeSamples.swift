import Yams

/// The curl command for an operation; `dev` prints the values of `$WALLET` and `$TOKEN`.
struct CurlLine {
    let method: String
    let path: String
    let parameters: [Parameter]
    let body: Node?
    let security: String?

    var text: String {
        var parts = [self.method == "GET" ? "curl -sS" : "curl -sS -X \(self.method)", "\"$WALLET\(self.filledPath)\""]
        if self.security != nil { parts.append("-H \"Authorization: Bearer $TOKEN\"") }
        // The document cannot require the key, because a dry run needs none; the sample is not a dry run, so it
        // includes the key.
        let isSent = { (header: Parameter) in
            header.field.isRequired || header.field.name == "Idempotency-Key" && !header.example.isEmpty
        }
        for parameter in self.parameters where parameter.place == "header" && isSent(parameter) {
            parts.append("-H \(Self.quoted("\(parameter.field.name): \(parameter.example)"))")
        }
        if let body = self.body {
            parts.append("-H 'Content-Type: application/json'")
            parts.append("-d \(Self.quoted(JSONText.plain(body)))")
        }
        return parts[0] + " " + parts.dropFirst().joined(separator: " \\\n  ")
    }

    private var filledPath: String {
        let path = self.parameters.filter { $0.place == "path" }.reduce(self.path) { path, parameter in
            parameter.example.isEmpty ? path : path.replacing("{\(parameter.field.name)}", with: parameter.example)
        }
        let query = self.parameters.filter { $0.place == "query" && $0.field.isRequired }
            .map { "\($0.field.name)=\($0.example)" }
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }
}

/// The sample code with `WalletClient`, by operation.
///
/// A test compares the names with the SDK.
enum SwiftSamples {
    static let calls: [String: String] = [
        "getBalance": "let balance = try await wallet.balance()",
        "forecastBalance": "let balance = try await wallet.forecast(at: date)",
        "streamBalance": "for try await balance in wallet.balances() {\n    show(balance.credits)\n}",
        "listTransactions": "let page = try await wallet.transactions(limit: 50)",
        "listPacks": "let packs = try await wallet.packs()",
        "listPlans": "let plans = try await wallet.plans()",
        "listSubscriptions": "let overview = try await wallet.subscriptions()",
        "submitReceipt": """
        // StoreKit 2
        let result = try await wallet.submit(
            signedTransaction: verification.jwsRepresentation
        )
        if result.finish.contains(String(transaction.id)) {
            await transaction.finish()
        }
        """,
        "restorePurchases": "let result = try await wallet.restore(signedTransactions: transactions)",
        "mergeAnonymousAccount": "let balance = try await wallet.identify(anonymousToken: oldToken)",
        "deleteAccount": "try await wallet.deleteAccount()",
        "listOffers": "let offerings = try await wallet.offers()",
        "listPurchases": "let page = try await wallet.purchases(limit: 50)",
        "getPurchase": "let purchase = try await wallet.purchase(transactionID)",
        "consumePurchase": "let use = try await wallet.consume(transactionID, reference: visitID)",
        "listPasses": "let page = try await wallet.passes()",
        "listClasses": "let page = try await wallet.classes(limit: 50)",
        "getClass": "let lesson = try await wallet.classSession(classID)",
        "joinWaitlist": "let place = try await wallet.joinWaitlist(of: classID)",
        "leaveWaitlist": "try await wallet.leaveWaitlist(of: classID)",
        "createBooking": """
        do {
            let result = try await wallet.book(classID: classID)
            show(result.booking.confirmationCode)
        } catch let problem as WalletProblem {
            if let short = problem.insufficientCredits {
                sell(short.offers.packs)
            }
        }
        """,
        "listBookings": "let page = try await wallet.bookings()",
        "getBooking": "let booking = try await wallet.booking(bookingID)",
        "cancelBooking": "let result = try await wallet.cancel(bookingID)",
    ]
}
