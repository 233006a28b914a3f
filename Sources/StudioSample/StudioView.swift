#if canImport(SwiftUI)
    public import SwiftUI
    import WalletClient
    import WalletClientTesting

    /// The classes, the user's bookings and the balance.
    public struct StudioView: View {
        @Bindable private var model: StudioModel

        /// Creates a screen for a model.
        /// - Parameter model: The model.
        public init(_ model: StudioModel) {
            self.model = model
        }

        /// The content of the screen.
        public var body: some View {
            NavigationStack {
                List {
                    Section("Classes") {
                        ForEach(self.model.classes) { ClassRow($0, self.model) }
                    }
                    Section("Bookings") {
                        ForEach(self.model.bookings) { BookingRow($0, self.model) }
                    }
                }
                .navigationTitle("\(self.model.balance?.credits ?? 0) credits")
            }
            .task { await self.model.load() }
            .task { await self.model.followBalance() }
            .sheet(isPresented: self.$model.shortage.isPresent) { ShortageView(self.model) }
            .alert(self.model.message ?? "", isPresented: self.$model.message.isPresent) {}
        }
    }

    /// A class with its price and a button to book it.
    private struct ClassRow: View {
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
    private struct BookingRow: View {
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
    private struct ShortageView: View {
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

    extension Optional {
        fileprivate var isPresent: Bool {
            get { self != nil }
            set { if !newValue { self = nil } }
        }
    }

    #Preview {
        StudioView(
            StudioModel(wallet: InMemoryWallet()) { PreviewTransaction(productID: $0.productID) }
        )
    }
#endif
