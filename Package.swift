// swift-tools-version: 6.3
import PackageDescription

/// The rules that every Swift target of this package is compiled under.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// The rules for targets that become part of a program: nothing in it uses regular expressions, and their library, which
/// every module imports otherwise, is a tenth of the program; and each function has a section of its own, so that the
/// linker can leave unused functions out.
let lean =
    house
    + ["-disable-implicit-string-processing-module-import", "-function-sections"].map {
        .unsafeFlags(["-Xfrontend", $0])
    }

/// The rules for targets whose code runs rarely, such as options and discovery: they are optimised for size.
let small = lean + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// For the targets that simulations of hundreds of nodes run: optimised in debug builds too, where a test of a crowd would
/// take minutes otherwise.
let simulated: [SwiftSetting] = [
    .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))
]

/// The linker's settings for the program: every symbol is bound at the start and their table is read-only from then on, and
/// no stack is executable. Programs are position-independent by themselves, and Swift guards stack buffers. Swift would
/// export all symbols, which no other program imports.
let hardening: [LinkerSetting] = [
    .unsafeFlags(["relro", "now", "noexecstack"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] }),
    .unsafeFlags(["-Xlinker", "--no-export-dynamic"]),
]

/// A Swift library or program target under the house rules.
///
/// - Parameters:
///   - path: the folder; nil for `Sources/NAME`.
///   - settings: `lean`, or `small` for code that runs rarely.
func module(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, embedding: [Resource] = [],
    _ settings: [SwiftSetting] = lean
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, resources: embedding, swiftSettings: settings)
}

/// A test target under the house rules.
///
/// - Parameter settings: further ones, as `simulated`.
func tests(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: house + settings)
}

let package = Package(
    name: "earshot",
    products: [
        .executable(name: "earshot", targets: ["earshot"]),
        .library(name: "Earshot", targets: ["Earshot"]),
        .library(name: "EarshotTesting", targets: ["EarshotTesting"]),
        .library(name: "EarshotControl", targets: ["EarshotControl"]),
    ],
    targets: [
        .systemLibrary(name: "CAvahi"),
        .systemLibrary(name: "CAvahiCore"),
        .target(name: "CLinux"),
        .systemLibrary(name: "CQRCode"),
        .systemLibrary(name: "CRabbitMQ"),
        .systemLibrary(name: "CSodium"),
        .systemLibrary(name: "CWebSockets"),
        module("Phrases", [], small),
        module("Wire", [], lean + simulated),
        module("LineEditor", ["Wire"], small),
        module("Noise", ["Wire", "CSodium"], lean + simulated),
        module("Chat", ["Wire", "Noise", "Phrases"], lean + simulated),
        module("ChatNode", ["Wire", "Noise", "Phrases", "Chat"], lean + simulated),
        module("Reactor", ["Wire", "Chat", "ChatNode", "CLinux"]),
        module("Transports", ["Wire", "ChatNode", "Reactor", "CLinux"]),
        module("Storage", ["Wire", "Noise", "Reactor", "CLinux"], small),
        module(
            "Discovery",
            [
                "Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "Transports", "CAvahi", "CAvahiCore",
                "CLinux",
            ],
            small),
        module("Simulator", ["Wire", "Noise", "Chat", "ChatNode"], small + simulated),
        module("Bridge", ["Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "CRabbitMQ", "CLinux"], small),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["Wire", "Noise", "Chat", "ChatNode", "Reactor", "Discovery"],
            swiftSettings: lean),
        module("Commands", ["Wire", "Phrases", "Chat", "ChatNode"], small),
        module("Model", ["Wire", "Phrases", "Chat", "ChatNode", "Commands"], small),
        module("Rendering", ["Wire", "Phrases", "Chat", "ChatNode", "Commands", "Model"], small),
        module(
            "Hub", ["Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "Commands", "Model", "CLinux"], small),
        module(
            "Settings",
            ["Wire", "Phrases", "Chat", "Reactor", "Discovery", "Simulator", "Commands", "Bridge"],
            small),
        module(
            "Doctor",
            [
                "Phrases", "Chat", "ChatNode", "Reactor", "Transports", "Discovery", "Commands", "Hub", "Rendering",
                "Settings", "Bridge",
            ],
            small),
        module(
            "TerminalFace",
            [
                "Wire", "Phrases", "LineEditor", "Chat", "ChatNode", "Reactor", "Commands", "Model", "Rendering",
                "CLinux",
            ],
            path: "Sources/Faces/Terminal", small),
        module(
            "ControlFace",
            [
                "Wire", "Phrases", "Chat", "ChatNode", "Reactor", "Storage", "Commands", "Hub", "Rendering", "Settings",
                "CLinux",
            ],
            path: "Sources/Faces/Control", small),
        module(
            "IRCFace",
            [
                "Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "Commands", "Model", "Hub", "Rendering",
            ],
            path: "Sources/Faces/IRC", small),
        module(
            "WebFace",
            [
                "Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "Commands", "Model", "Hub", "Rendering",
                "IRCFace", "CWebSockets", "CQRCode", "CLinux",
            ],
            path: "Sources/Faces/Web", embedding: [.embedInCode("Page")], small),
        module(
            "Earshot",
            [
                "Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "Storage", "Discovery",
            ],
            path: "Sources/Library/Earshot", small),
        module(
            "EarshotTesting", ["Wire", "Noise", "ChatNode", "Reactor", "Simulator", "Earshot"],
            path: "Sources/Library/EarshotTesting", small),
        module(
            "EarshotControl", ["Chat", "ChatNode", "Reactor", "Commands", "Rendering"],
            path: "Sources/Library/EarshotControl",
            small),
        .executableTarget(
            name: "earshot",
            dependencies: [
                "Wire", "Noise", "Phrases", "Chat", "ChatNode", "Reactor", "Transports", "Storage", "Simulator",
                "Discovery", "Commands", "Hub", "Rendering", "Settings", "Doctor", "TerminalFace", "ControlFace",
                "IRCFace",
                "WebFace", "Bridge", "CLinux",
            ],
            swiftSettings: small,
            linkerSettings: hardening),
        tests("WireTests", ["Wire", "Noise"]),
        tests("IRCFaceTests", ["Wire", "Phrases", "Chat", "ChatNode", "Commands", "Model", "Hub", "IRCFace"]),
        tests("LineEditorTests", ["Wire", "LineEditor"]),
        tests("NoiseTests", ["Wire", "Noise"]),
        tests("ChatTests", ["Wire", "Noise", "Phrases", "Chat"]),
        tests("ChatNodeTests", ["Wire", "Noise", "Phrases", "Chat", "ChatNode", "Simulator"]),
        tests("SearchTests", ["Wire", "Noise", "Chat", "ChatNode"], simulated),
        tests("ModelTests", ["Wire", "Noise", "Phrases", "Chat", "ChatNode", "Commands", "Model", "TestSupport"]),
        tests(
            "TestSupport",
            ["Phrases", "Wire", "Chat", "ChatNode", "Reactor", "Commands", "CAvahi", "CAvahiCore", "CLinux"]),
        tests("BenchmarksTests", ["Wire", "Chat", "ChatNode", "Discovery", "Benchmarks"]),
        tests(
            "CommandsTests",
            [
                "Phrases", "Wire", "Noise", "Chat", "ChatNode", "Reactor", "Transports", "Simulator", "Commands",
                "TestSupport",
            ]),
        tests(
            "ControlFaceTests",
            [
                "Phrases", "Wire", "Chat", "ChatNode", "Reactor", "Storage", "Commands", "Rendering", "Hub",
                "Settings", "ControlFace", "TestSupport",
            ]),
        tests(
            "ConversationTests",
            [
                "Phrases", "Wire", "Noise", "Chat", "ChatNode", "Reactor", "Transports", "Storage", "Discovery",
                "Simulator", "Commands", "earshot", "TestSupport",
            ]),
        tests(
            "DiscoveryTests",
            [
                "Phrases", "Wire", "Noise", "ChatNode", "Reactor", "Discovery", "CAvahi", "CAvahiCore", "CLinux",
                "TestSupport",
            ]),
        tests("LibraryTests", ["Reactor", "Earshot", "EarshotTesting", "EarshotControl"]),
        tests("DoctorTests", ["ChatNode", "Reactor", "Discovery", "Commands", "Doctor", "TestSupport"]),
        tests("HubTests", ["Wire", "Chat", "ChatNode", "Commands", "Model", "Hub", "TestSupport"]),
        tests(
            "ProgramTests",
            [
                "Wire", "Noise", "Chat", "ChatNode", "Reactor", "Transports", "Storage", "Discovery", "Simulator",
                "Commands", "Rendering", "Settings", "earshot", "TestSupport",
            ]),
        tests("ReactorTests", ["Wire", "Noise", "ChatNode", "Reactor", "Discovery", "TestSupport"]),
        tests(
            "RenderingTests",
            [
                "Phrases", "Wire", "Chat", "ChatNode", "Reactor", "Commands", "Model", "Rendering", "TerminalFace",
                "TestSupport",
            ]),
        tests("SettingsTests", ["Discovery", "Reactor", "Commands", "Settings", "TestSupport"]),
        tests("StorageTests", ["Wire", "Noise", "Storage", "TestSupport"]),
        tests(
            "TerminalFaceTests",
            [
                "Phrases", "Wire", "LineEditor", "Chat", "ChatNode", "Commands", "Model", "Rendering", "TerminalFace",
                "TestSupport",
            ]),
        tests(
            "TransportsTests",
            ["Wire", "ChatNode", "Reactor", "Transports", "CAvahi", "CAvahiCore", "CLinux", "TestSupport"]),
        tests(
            "WebFaceTests",
            [
                "Phrases", "Wire", "Chat", "ChatNode", "Reactor", "Commands", "Model", "Rendering", "Hub", "WebFace",
                "TestSupport",
            ]),
    ]
)

// Scripts/fuzz asks for a program of its own, with the modules that its targets reach, and Scripts/test for a plain one, with the
// modules of the tests: there libFuzzer is in the target alone. Nothing of this is there in any other build.
if let kind = Context.environment["EARSHOT_FUZZ"] {
    let flags = kind == "plain" ? ["-sanitize=fuzzer"] : []
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Wire", "LineEditor", "Noise", "Phrases", "Chat", "ChatNode", "Storage", "Discovery", "Simulator",
                "Commands", "Model", "Hub", "Rendering", "Settings", "IRCFace", "WebFace", "CAvahi", "CFuzzer",
            ],
            path: "Tests/Fuzz", exclude: ["CFuzzer", "Corpus"], swiftSettings: house + [.unsafeFlags(flags)],
            linkerSettings: [.unsafeFlags(flags)]),
    ]
}

// Scripts/test builds the examples with the modules that the tests are built with. As a program outside, they see the public symbols
// alone. Tests/Examples compares these targets with those of Examples/Package.swift.
if Context.environment["EARSHOT_EXAMPLES"] != nil {
    let programs = [
        "FirstLines": "Earshot", "EchoBot": "Earshot", "Announcer": "Earshot", "Service": "Earshot",
        "TestedBot": "DiceBot", "Watcher": "EarshotControl",
    ]
    package.targets += programs.sorted { $0.key < $1.key }.map { name, module in
        .executableTarget(
            name: name, dependencies: [.byName(name: module)], path: "Examples/\(name)", packageAccess: false)
    }
    package.targets += [
        .target(name: "DiceBot", dependencies: ["Earshot"], path: "Examples/DiceBot", packageAccess: false),
        .testTarget(
            name: "TestedBotTests", dependencies: ["DiceBot", "EarshotTesting"], path: "Examples/TestedBotTests",
            packageAccess: false),
    ]
}

// A build wants different names of all targets, also of those that it does not use. So a package that depends on this one by its
// URL sees the targets of the libraries alone, each under a name of its own, and needs the headers of no gateway. The sources
// import the usual names, which the compiler reads as the others.
if Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts" {
    package.products.removeAll { !$0.name.hasPrefix("Earshot") }
    var (needed, waiting) = (Set<String>(), package.products.map(\.name))
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        for case .byNameItem(let other, _) in target.dependencies { waiting.append(other) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    let aliased = package.targets.filter { $0.swiftSettings != nil && !$0.name.hasPrefix("Earshot") }.map(\.name)
    let aliases = aliased.flatMap { ["-module-alias", "\($0)=Earshot\($0)"] }
    for target in package.targets where target.swiftSettings != nil {
        target.swiftSettings?.append(.unsafeFlags(aliases))
        target.dependencies = target.dependencies.map { dependency in
            guard case .byNameItem(let name, let condition) = dependency, aliased.contains(name) else {
                return dependency
            }
            return .byNameItem(name: "Earshot\(name)", condition: condition)
        }
        guard aliased.contains(target.name) else { continue }
        target.path = target.path ?? "Sources/\(target.name)"
        target.name = "Earshot\(target.name)"
    }
}
