/// The text that `dev` prints once it is ready: the addresses, and shell commands that buy and spend credits.
struct DevTour: Sendable {
    let description: DevDescription
    /// A token of ``DevStack/tourUser``.
    let token: String
    let directory: DataDirectory

    var text: String {
        """
        credit-wallet dev is ready. Ctrl-C stops it; the data stays in \(self.directory.path).

          demo           \(self.description.httpURL)/   open in a browser: an app, a store and the books
          console        \(self.description.httpURL)/console   for operators: search, users, actions with a preview
          wallet         \(self.description.httpURL)   (/openapi.yaml describes the API)
          sandbox store  \(self.description.storeURL)
          database       \(self.description.databaseURL)
          for scripts    \(self.directory.description)   addresses and tokens

        To try it, paste these lines into another shell:

        \(self.lines)

        """
    }

    /// The shell commands alone; a test runs them as printed.
    var lines: String {
        """
        WALLET=\(self.description.httpURL)
        STORE=\(self.description.storeURL)
        TOKEN=\(self.token)
        # Buy a pack of 50 credits in the sandbox App Store.
        RECEIPT=$(curl -sS "$STORE/sandbox/purchases" -H 'Content-Type: application/json' \
        -d '{"user_id": "\(DevStack.tourUser)", "product_id": "com.hobbyist.bookingapp.credits.explorer"}' | \
        sed -n 's/.*"receipt" *: *"\\([^"]*\\)".*/\\1/p')
        # The store has already notified the wallet. The app submits its receipt as well: the wallet verifies it with
        # the store, and the purchase counts once (duplicate: true).
        curl -sS "$WALLET/receipts" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
        -d '{"store": "app_store", "receipt": "'"$RECEIPT"'"}' -w '\\n'
        curl -sS "$WALLET/balance" -H "Authorization: Bearer $TOKEN" -w '\\n'
        # Book a class that costs 20 credits, list the bookings, cancel.
        CLASS=$(curl -sS "$WALLET/classes" | grep -o 'demo-pottery-[0-9]*' | head -n 1)
        BOOKING=$(curl -sS "$WALLET/bookings" -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: try-$RANDOM-$$" \
        -H 'Content-Type: application/json' -d '{"class_id": "'"$CLASS"'"}' | \
        sed -n 's/.*"booking_id" *: *"\\([^"]*\\)".*/\\1/p')
        curl -sS "$WALLET/bookings" -H "Authorization: Bearer $TOKEN" -w '\\n'
        curl -sS -X POST "$WALLET/bookings/$BOOKING/cancel" -H "Authorization: Bearer $TOKEN" -w '\\n'
        # Subscribe, turn off renewal in the store, check the subscription in the wallet.
        PLAN=$(curl -sS "$STORE/sandbox/purchases" -H 'Content-Type: application/json' \
        -d '{"user_id": "\(DevStack.tourUser)", "product_id": "com.hobbyist.bookingapp.subscription.explorer"}' | \
        sed -n 's/.*"original_transaction_id" *: *"\\([^"]*\\)".*/\\1/p')
        curl -sS -X POST "$STORE/sandbox/subscriptions/$PLAN/cancel" -o /dev/null
        curl -sS "$WALLET/subscriptions" -H "Authorization: Bearer $TOKEN" -w '\\n'
        """
    }
}
