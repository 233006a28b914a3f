import Foundation
import Hummingbird

extension SandboxStores {
    private struct Switch: Decodable {
        let enabled: Bool
    }

    private struct NotificationList: ResponseEncodable {
        let enabled: Bool
        let notifications: [PostedNotification]
    }

    func addNotificationRoutes(to router: Router<SandboxContext>) {
        router.get("sandbox/notifications") { _, _ in await self.notificationList }
        router.post("sandbox/notifications") { request, context in
            let new = try await request.control(Switch.self, context)
            await self.poster.setEnabled(new.enabled)
            return await self.notificationList
        }
        router.post("sandbox/notifications/:id/redeliver") { _, context in
            try await self.poster.redeliver(context.parameters.require("id"))
        }
    }

    private var notificationList: NotificationList {
        get async { NotificationList(enabled: await self.poster.isEnabled, notifications: await self.poster.posted) }
    }
}
