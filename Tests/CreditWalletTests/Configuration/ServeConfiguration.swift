/// A valid environment for `serve`, without a database.
enum ServeConfiguration {
    static let secret = "a-secret-of-at-least-32-bytes-for-tests"

    static func environment(databaseURL: String = "postgresql://127.0.0.1:1/none") -> [String: String] {
        [
            "DATABASE_URL": databaseURL,
            "HTTP_PORT": "0",
            "AUTH_ISSUERS": "main",
            "AUTH_MAIN_ISSUER": "https://issuer.example",
            "AUTH_MAIN_AUDIENCES": "authenticated",
            "AUTH_MAIN_HS256_SECRET": Self.secret,
            "APPSTORE_BUNDLE_IDS": "com.example.app",
            "APPSTORE_SHARED_SECRET": "app-store-secret",
            "APPSTORE_GRANTS_FROM": "2026-01-01T00:00:00Z",
        ]
    }
}
