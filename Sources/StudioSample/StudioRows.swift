#if canImport(SwiftUI)
    import SwiftUI
    import WalletClient

    /// A class with its price and a button to book it.
    struct ClassRow: View {
        private let session: ClassSession
        private let model: StudioModel

        init(_ session: ClassSession, _ model: StudioModel) {
            self.session = session
            self.model = model
        }

        var body: some View {
            HStack {
                VStack(alignment: .leading) {
                    Text(self.session.title)
                    Text(self.session.startsAt, style: .date).foregroundStyle(.secondary)
                }
                Spacer()
                Button(self.title) { Task { await self.model.book(self.session) } }
                    .disabled(self.session.seatsLeft == 0)
            }
        }

        private var title: String {
            self.session.seatsLeft == 0 ? "Full" : "Book for \(self.session.price.credits ?? 0) credits"
        }
    }

    /// A booking with its code and a button to cancel it.
    struct BookingRow: View {
        private let booking: Booking
        private let model: StudioModel

        init(_ booking: Booking, _ model: StudioModel) {
            self.booking = booking
            self.model = model
        }

        var body: some View {
            HStack {
                Text(self.booking.classTitle)
                Text(self.booking.confirmationCode).monospaced()
                Spacer()
                Button("Cancel", role: .destructive) { Task { await self.model.cancel(self.booking) } }
            }
        }
    }

    /// The missing credits and the packs that cover them.
    struct ShortageView: View {
        private let model: StudioModel

        init(_ model: StudioModel) {
            self.model = model
        }

        var body: some View {
            List {
                Text("You need \(self.model.shortage?.needed ?? 0) more credits.")
                ForEach(self.model.shortage?.offers.packs ?? []) { offer in
                    Button("Buy \(offer.name), \(offer.totalCredits) credits") {
                        Task { await self.model.buy(offer) }
                    }
                }
            }
        }
    }
#endif
