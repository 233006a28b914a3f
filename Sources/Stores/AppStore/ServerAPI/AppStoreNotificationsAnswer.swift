/// One page of the notifications that the store has sent, or tried to.
struct AppStoreNotificationsAnswer: Decodable, Sendable {
    /// One notification; when and how it was sent does not matter here.
    struct Notification: Decodable, Sendable {
        let signedPayload: String
    }

    /// Names the next page.
    let paginationToken: String?
    let hasMore: Bool
    let notificationHistory: [Notification]
}
