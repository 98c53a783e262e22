/// Bridges to other networks.
extension Phrase {
    package static let roomBridgedOn = Phrase(
        "%1 carries this room to other networks, with what you say; /bridge off keeps your words here",
        "%1 님이 이 방을 다른 네트워크와 잇고, 당신의 말도 전달합니다. /bridge off로 막을 수 있습니다")
    package static let roomBridgedOff = Phrase(
        "%1 carries this room to other networks, without what you say; /bridge on lets your words go there",
        "%1 님이 이 방을 다른 네트워크와 잇습니다. 당신의 말은 전달되지 않으며, /bridge on으로 허용할 수 있습니다")
    package static let roomUnbridged = Phrase(
        "no bridge carries this room to other networks any more", "이 방은 이제 다른 네트워크와 이어져 있지 않습니다")
    package static let isBridged = Phrase("bridged", "다른 네트워크와 연결됨")
    package static let bridgeOn = Phrase("bridges may carry what you say here", "여기서 한 말을 다른 네트워크로 전달할 수 있습니다")
    package static let bridgeOff = Phrase(
        "nothing that you say here leaves this network", "여기서 한 말은 이 네트워크를 떠나지 않습니다")
    package static let bridgeHere = Phrase("the room is carried to other networks", "이 방은 다른 네트워크와 이어져 있습니다")
    package static let bridgeNone = Phrase("no bridge is here", "다른 네트워크와 이어져 있지 않습니다")
    package static let bridgeConnecting = Phrase("the bridge connects to its broker", "브리지가 브로커에 연결하는 중입니다")
    package static let bridgeConnected = Phrase("the bridge is connected to %1", "브리지가 %1에 연결되었습니다")
    package static let bridgeAgain = Phrase("the bridge is connected again, to %1", "브리지가 %1에 다시 연결되었습니다")
    package static let bridgeBlocked = Phrase(
        "bridge: %1 is connected, but takes nothing now: %2; messages wait",
        "브리지: %1에 연결되어 있지만 지금은 받지 않습니다: %2. 보낼 말은 기다립니다")
    package static let bridgeUnblocked = Phrase(
        "the bridge's broker %1 takes what is said again", "브리지의 브로커 %1이(가) 다시 말을 받습니다")
    package static let bridgeNoThread = Phrase(
        "bridge: it can not start, and is off until earshot is started anew: %1",
        "브리지를 시작할 수 없어 earshot을 다시 시작할 때까지 꺼져 있습니다: %1")
    package static let bridgeNoName = Phrase(
        "bridge: the broker %1 has no address: %2", "브리지: 브로커 %1의 주소를 찾을 수 없습니다: %2")
    package static let bridgeNoTCP = Phrase("bridge: no connection to %1: %2", "브리지: %1에 연결할 수 없습니다: %2")
    package static let bridgeNoTLS = Phrase("bridge: the certificate of %1 is refused: %2", "브리지: %1의 인증서를 거부했습니다: %2")
    package static let bridgeNoLogin = Phrase(
        "bridge: %1 refuses the user or the password: %2", "브리지: %1이(가) 사용자나 비밀번호를 거부했습니다: %2")
    package static let bridgeNoVhost = Phrase("bridge: %1 refuses the vhost: %2", "브리지: %1이(가) vhost를 거부했습니다: %2")
    package static let bridgeNoPermission = Phrase(
        "bridge: the user lacks a permission at %1: %2", "브리지: %1에서 사용자의 권한이 부족합니다: %2")
    package static let bridgeEnded = Phrase("bridge: the connection to %1 has ended: %2", "브리지: %1과의 연결이 끊겼습니다: %2")
    package static let stateElsewhere = Phrase("elsewhere", "다른 네트워크")
    package static let peerElsewhere = Phrase("%1 is here, in another network", "%1 님이 다른 네트워크에서 들어왔습니다")
}
