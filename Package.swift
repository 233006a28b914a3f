// swift-tools-version: 6.2
import PackageDescription

/// Set by continuous integration only: a newer compiler or dependency may warn, and must not stop anyone's build.
let warningsAreErrors = Context.environment["WARNINGS_AS_ERRORS"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

extension Target.Dependency {
    /// A product that an app with the SDK needs none of: without the trait `Server`, its package is not even resolved.
    private static func server(_ name: String, _ package: String) -> Target.Dependency {
        product(name: name, package: package, condition: .when(traits: ["Server"]))
    }

    static let argumentParser = server("ArgumentParser", "swift-argument-parser")
    static let asyncHTTPClient = server("AsyncHTTPClient", "async-http-client")
    static let configuration = server("Configuration", "swift-configuration")
    static let crypto = server("Crypto", "swift-crypto")
    static let cryptoExtras = server("CryptoExtras", "swift-crypto")
    static let histogram = server("Histogram", "hdrhistogram-swift")
    static let httpTypes = server("HTTPTypes", "swift-http-types")
    static let hummingbird = server("Hummingbird", "hummingbird")
    static let hummingbirdCore = server("HummingbirdCore", "hummingbird")
    static let hummingbirdTLS = server("HummingbirdTLS", "hummingbird")
    static let hummingbirdTesting = server("HummingbirdTesting", "hummingbird")
    static let inMemoryTracing = server("InMemoryTracing", "swift-distributed-tracing")
    static let jwtKit = server("JWTKit", "jwt-kit")
    static let logging = server("Logging", "swift-log")
    static let coreMetrics = server("CoreMetrics", "swift-metrics")
    static let metrics = server("Metrics", "swift-metrics")
    static let mustache = server("Mustache", "swift-mustache")
    static let nioCore = server("NIOCore", "swift-nio")
    static let nioFoundationCompat = server("NIOFoundationCompat", "swift-nio")
    static let nioHTTP1 = server("NIOHTTP1", "swift-nio")
    static let nioHTTPTypes = server("NIOHTTPTypes", "swift-nio-extras")
    static let nioHTTPTypesHTTP1 = server("NIOHTTPTypesHTTP1", "swift-nio-extras")
    static let nioEmbedded = server("NIOEmbedded", "swift-nio")
    static let nioPosix = server("NIOPosix", "swift-nio")
    static let nioSSL = server("NIOSSL", "swift-nio-ssl")
    static let nioTLS = server("NIOTLS", "swift-nio")
    static let serviceLifecycle = server("ServiceLifecycle", "swift-service-lifecycle")
    static let swiftASN1 = server("SwiftASN1", "swift-asn1")
    static let systemPackage = server("SystemPackage", "swift-system")
    static let tracing = server("Tracing", "swift-distributed-tracing")
    static let unixSignals = server("UnixSignals", "swift-service-lifecycle")
    static let x509 = server("X509", "swift-certificates")
    static let yams = server("Yams", "Yams")
}

let package = Package(
    name: "CreditWallet",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .executable(name: "credit-wallet", targets: ["CreditWallet"]),
        .library(name: "WalletClient", targets: ["WalletClient"]),
        .library(name: "WalletClientTesting", targets: ["WalletClientTesting"]),
    ],
    traits: [
        .default(enabledTraits: ["Server"]),
        .trait(name: "Server", description: "The service; an app that uses the SDK leaves it out."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "Postgres",
            dependencies: ["CLibpq", .crypto, .logging, .metrics, .serviceLifecycle, .tracing],
            swiftSettings: settings
        ),
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "JOSE", dependencies: ["JSON", .crypto, .cryptoExtras], swiftSettings: settings),
        .target(
            name: "Stores",
            dependencies: [
                "JOSE", "JSON", .asyncHTTPClient, .crypto, .cryptoExtras, .logging, .metrics, .nioCore,
                .nioFoundationCompat, .nioHTTP1, .swiftASN1, .x509,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Wallet",
            dependencies: ["JSON", "Postgres", "Stores", .crypto, .logging, .metrics, .serviceLifecycle, .tracing],
            exclude: ["Refusals/problems.yaml", "sql"],
            swiftSettings: settings,
            plugins: ["EmbedSQLPlugin"]
        ),
        .target(
            name: "StoreSync",
            dependencies: ["JSON", "Wallet", "Stores", .crypto, .logging, .metrics],
            swiftSettings: settings
        ),
        .target(
            name: "WalletAPI",
            dependencies: [
                "JOSE", "JSON", "StoreSync", "Wallet", "Stores", .asyncHTTPClient, .crypto, .httpTypes, .hummingbird,
                .hummingbirdCore, .logging, .metrics, .nioCore, .nioHTTP1, .nioHTTPTypes, .nioHTTPTypesHTTP1,
                .serviceLifecycle,
            ],
            swiftSettings: settings,
            plugins: ["EmbedSQLPlugin"]
        ),
        .target(
            name: "WalletSupabase",
            dependencies: ["JSON", "StoreSync", "Stores", "Wallet", "WalletAPI", .crypto, .httpTypes, .hummingbird],
            swiftSettings: settings
        ),
        .target(
            name: "WalletConsole",
            dependencies: [
                "JOSE", "JSON", "Wallet", .asyncHTTPClient, .crypto, .httpTypes, .hummingbird, .logging, .mustache,
                .nioCore, .nioFoundationCompat, .nioHTTP1, .yams,
            ],
            exclude: ["Console/Pages", "Demo", "Reference/Pages"],
            swiftSettings: settings,
            plugins: ["EmbedSQLPlugin"]
        ),
        .target(
            name: "Telemetry",
            dependencies: [
                "JSON", .asyncHTTPClient, .coreMetrics, .logging, .nioCore, .nioFoundationCompat, .nioHTTP1,
                .serviceLifecycle, .tracing,
            ],
            swiftSettings: settings
        ),
        .target(name: "WalletClient", swiftSettings: settings),
        .target(name: "WalletClientTesting", dependencies: ["WalletClient"], swiftSettings: settings),
        .target(name: "StudioSample", dependencies: ["WalletClient", "WalletClientTesting"], swiftSettings: settings),
        .target(
            name: "SandboxStores",
            dependencies: [
                "JOSE", "JSON", .asyncHTTPClient, .crypto, .cryptoExtras, .httpTypes, .hummingbird, .logging, .mustache,
                .nioCore, .nioFoundationCompat, .nioHTTP1, .serviceLifecycle, .swiftASN1, .x509,
            ],
            swiftSettings: settings
        ),
        .target(name: "CommandOutput", swiftSettings: settings),
        .target(
            name: "WalletLoad",
            dependencies: [
                "CommandOutput", "Wallet", .asyncHTTPClient, .histogram, .nioCore, .nioFoundationCompat, .nioHTTP1,
                .nioPosix, .nioSSL, .nioTLS, .unixSignals,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WalletDev",
            dependencies: [
                "CommandOutput", "JOSE", "Postgres", "SandboxStores", "Stores", "Telemetry", "Wallet", "WalletAPI",
                "WalletConsole", .asyncHTTPClient, .crypto, .cryptoExtras, .httpTypes, .hummingbird, .logging,
                .nioCore, .nioHTTP1, .serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CreditWallet",
            dependencies: [
                "CommandOutput", "JSON", "Postgres", "StoreSync", "Stores", "Telemetry", "Wallet", "WalletAPI",
                "WalletConsole",
                "WalletDev", "WalletLoad", "WalletSupabase", .argumentParser, .asyncHTTPClient, .configuration, .crypto,
                .cryptoExtras, .httpTypes, .hummingbird, .logging, .metrics, .nioCore, .nioHTTP1, .serviceLifecycle,
                .swiftASN1, .systemPackage, .tracing, .unixSignals, .x509,
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "EmbedSQL", swiftSettings: settings),
        .plugin(
            name: "EmbedSQLPlugin",
            capability: .buildTool(),
            dependencies: ["EmbedSQL"],
            path: "Sources/EmbedSQLPlugin"
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "CommandOutput", "Postgres", "Stores", "Wallet", .httpTypes, .hummingbird, .hummingbirdCore, .logging,
                .nioCore, .serviceLifecycle,
            ],
            path: "Tests/Support",
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostgresTests",
            dependencies: ["Postgres", "TestSupport", .logging, .serviceLifecycle],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoresTests",
            dependencies: [
                "JSON", "Stores", "SandboxStores", "TestSupport", .asyncHTTPClient, .crypto, .cryptoExtras,
                .hummingbird, .hummingbirdTesting, .httpTypes, .logging, .nioCore, .swiftASN1, .x509,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SandboxStoresTests",
            dependencies: [
                "SandboxStores", "TestSupport", .asyncHTTPClient, .crypto, .cryptoExtras, .hummingbird,
                .hummingbirdTesting, .httpTypes, .logging, .nioCore, .nioHTTP1, .nioPosix, .swiftASN1, .x509,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WalletTests",
            dependencies: [
                "Wallet", "Stores", "Postgres", "TestSupport", .crypto, .inMemoryTracing, .logging, .tracing,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConvergenceTests",
            dependencies: [
                "Postgres", "SandboxStores", "Stores", "TestSupport", .asyncHTTPClient, .crypto, .cryptoExtras,
                .logging, .nioCore, .nioFoundationCompat, .nioHTTP1,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WalletAPITests",
            dependencies: [
                "JOSE", "JSON", "WalletAPI", "WalletConsole", "WalletSupabase", "StoreSync", "Wallet", "Stores",
                "Postgres",
                "SandboxStores", "TestSupport", .asyncHTTPClient, .crypto, .cryptoExtras, .httpTypes, .hummingbird,
                .hummingbirdTesting, .jwtKit, .logging, .nioCore, .nioEmbedded, .nioPosix, .yams,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WalletConsoleTests",
            dependencies: [
                "JSON", "Postgres", "TestSupport", "Wallet", "WalletConsole", .asyncHTTPClient, .crypto, .httpTypes,
                .hummingbird, .hummingbirdTesting, .jwtKit, .logging, .nioCore, .nioHTTP1, .yams,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WalletClientTests",
            dependencies: [
                "StudioSample", "WalletClient", "WalletClientTesting", .httpTypes, .hummingbird, .hummingbirdTesting,
                .logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TelemetryTests",
            dependencies: [
                "Telemetry", "TestSupport", .coreMetrics, .logging, .serviceLifecycle, .tracing,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WalletLoadTests",
            dependencies: ["CommandOutput", "WalletLoad", .nioCore],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CreditWalletTests",
            dependencies: [
                "CommandOutput", "CreditWallet", "JSON", "EmbedSQL", "StoreSync", "Wallet", "WalletAPI",
                "WalletDev",
                "WalletLoad", "SandboxStores", "Stores", "Telemetry", "TestSupport", "Postgres", .asyncHTTPClient,
                .configuration, .crypto, .httpTypes, .hummingbird, .hummingbirdTLS, .jwtKit, .logging, .nioCore,
                .nioFoundationCompat, .nioHTTP1, .nioPosix, .nioSSL, .swiftASN1, .tracing, .x509,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "JOSE", "JSON", "WalletClient", "Postgres", "SandboxStores", "TestSupport", .asyncHTTPClient, .crypto,
                .logging,
                .nioCore, .nioFoundationCompat, .nioHTTP1,
            ],
            exclude: ["Supabase"],
            swiftSettings: settings
        ),
    ]
)
