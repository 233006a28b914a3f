/// The text that `dev` prints once it is ready: the addresses, and shell commands that buy and spend credits.
struct DevTour: Sendable {
    let description: DevDescription
    /// A token of ``DevStack/tourUser``.
    let token: String
    let directory: DataDirectory

    var text: String {
        """
        credit-wallet dev is ready; Ctrl-C stops it, \(self.directory.path) keeps everything.

          demo           \(self.description.httpURL)/   open it in a browser: an app, a store and the books
          console        \(self.description.httpURL)/console   for those who run it: search, users, actions with a preview
          wallet         \(self.description.httpURL)   (/openapi.yaml says what it can do)
          sandbox store  \(self.description.storeURL)
          database       \(self.description.databaseURL)
          addresses and tokens for scripts: \(self.directory.description)

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
        # The store has notified the wallet by now. The app hands its receipt in all the same: it is verified with the store,
        # and the purchase counts once (duplicate: true).
        curl -sS "$WALLET/receipts" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
        -d '{"store": "app_store", "receipt": "'"$RECEIPT"'"}' -w '\\n'
        curl -sS "$WALLET/balance" -H "Authorization: Bearer $TOKEN" -w '\\n'
        # Book a class that costs 20 credits, look at the bookings, cancel.
        CLASS=$(curl -sS "$WALLET/classes" | grep -o 'demo-pottery-[0-9]*' | head -n 1)
        BOOKING=$(curl -sS "$WALLET/bookings" -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: try-$RANDOM-$$" \
        -H 'Content-Type: application/json' -d '{"class_id": "'"$CLASS"'"}' | \
        sed -n 's/.*"booking_id" *: *"\\([^"]*\\)".*/\\1/p')
        curl -sS "$WALLET/bookings" -H "Authorization: Bearer $TOKEN" -w '\\n'
        curl -sS -X POST "$WALLET/bookings/$BOOKING/cancel" -H "Authorization: Bearer $TOKEN" -w '\\n'
        # Subscribe, turn renewal off in the store, look at what the wallet heard of it.
        PLAN=$(curl -sS "$STORE/sandbox/purchases" -H 'Content-Type: application/json' \
        -d '{"user_id": "\(DevStack.tourUser)", "product_id": "com.hobbyist.bookingapp.subscription.explorer"}' | \
        sed -n 's/.*"original_transaction_id" *: *"\\([^"]*\\)".*/\\1/p')
        curl -sS -X POST "$STORE/sandbox/subscriptions/$PLAN/cancel" -o /dev/null
        curl -sS "$WALLET/subscriptions" -H "Authorization: Bearer $TOKEN" -w '\\n'
        """
    }
}
