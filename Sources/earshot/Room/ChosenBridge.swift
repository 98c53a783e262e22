import Bridge
import Chat
import ChatNode
import Noise
import Reactor
import Settings
import Storage
import Wire

/// The bridge that the command line asks for.
enum ChosenBridge {
    /// Reads the key and the password, and loads the library.
    ///
    /// - Returns: nil if no bridge is asked for.
    static func open(_ choice: BridgeChoice, in room: Room) throws(StartFailure) -> BridgeSetup? {
        guard let brokers = choice.brokers else { return nil }
        let key = try key(of: choice)
        let access = try access(choice, brokers)
        let bridge = try StartFailure.naming { () throws(SystemError) in
            try RabbitBridge.make(access, BridgeSeal(key, room: room.id))
        }
        guard let bridge else {
            throw StartFailure("--bridge needs librabbitmq.so.4 and libssl.so.3; install the package librabbitmq4")
        }
        return BridgeSetup(key: key, port: bridge)
    }

    /// The access and the seal for `earshot doctor`.
    static func access(
        _ choice: BridgeChoice, in room: Room
    ) throws(StartFailure) -> (access: BrokerAccess, seal: BridgeSeal)? {
        guard let brokers = choice.brokers else { return nil }
        return (try access(choice, brokers), BridgeSeal(try key(of: choice), room: room.id))
    }

    private static func key(of choice: BridgeChoice) throws(StartFailure) -> BridgeKey {
        let path = choice.key ?? ""
        let line: Secret
        do throws(StorageError) { line = try KeyFile.firstLine(of: path) } catch { throw StartFailure(error) }
        guard let bytes = Hexadecimal.decode(String(decoding: [UInt8](copying: line.span), as: UTF8.self)),
            bytes.count == BridgeKey.byteCount
        else {
            throw StartFailure("\(DisplayGuard.safe(path)) is no bridge key; make one with earshot bridge new FILE")
        }
        return BridgeKey(bytes)
    }

    /// Without a file the password is that of the broker's own user of this machine.
    private static func access(
        _ choice: BridgeChoice, _ brokers: BrokerList
    ) throws(StartFailure) -> BrokerAccess {
        guard let path = choice.password else {
            return BrokerAccess(brokers, authorities: choice.authorities, password: Array("guest".utf8))
        }
        let line: Secret
        do throws(StorageError) { line = try KeyFile.firstLine(of: path) } catch { throw StartFailure(error) }
        return BrokerAccess(brokers, authorities: choice.authorities, password: [UInt8](copying: line.span))
    }
}

/// `earshot bridge new FILE`: a key for the bridges of a room.
enum BridgeCommand {
    /// - Returns: the text to print.
    static func run(_ arguments: BridgeArguments) throws(StartFailure) -> String {
        var randomness = Randomness.system
        let key = BridgeKey(using: &randomness)
        do throws(StorageError) {
            try KeyFile.create(arguments.file, line: Array(Hexadecimal.encode(key.copyBytes()).utf8))
        } catch {
            throw StartFailure(error)
        }
        return
            "made a bridge key in \(DisplayGuard.safe(arguments.file)); give it to the other bridges over a safe way\n"
    }
}
