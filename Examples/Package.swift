// swift-tools-version: 6.0
import PackageDescription

// A package of its own, as a program that uses Earshot is. One outside this repository names the URL instead of the path:
// .package(url: "https://…/earshot.git", branch: "main")
let package = Package(
    name: "examples",
    dependencies: [.package(name: "earshot", path: "..")],
    targets: [
        .executableTarget(
            name: "FirstLines", dependencies: [.product(name: "Earshot", package: "earshot")], path: "FirstLines"),
        .executableTarget(
            name: "EchoBot", dependencies: [.product(name: "Earshot", package: "earshot")], path: "EchoBot"),
        .executableTarget(
            name: "Announcer", dependencies: [.product(name: "Earshot", package: "earshot")], path: "Announcer"),
        .executableTarget(
            name: "Service", dependencies: [.product(name: "Earshot", package: "earshot")], path: "Service"),
        .target(name: "DiceBot", dependencies: [.product(name: "Earshot", package: "earshot")], path: "DiceBot"),
        .executableTarget(name: "TestedBot", dependencies: ["DiceBot"], path: "TestedBot"),
        .testTarget(
            name: "TestedBotTests",
            dependencies: ["DiceBot", .product(name: "EarshotTesting", package: "earshot")], path: "TestedBotTests"),
        .executableTarget(
            name: "Watcher", dependencies: [.product(name: "EarshotControl", package: "earshot")], path: "Watcher"),
    ]
)
