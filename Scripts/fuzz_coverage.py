"""The table of Docs/Fuzzing.md with the lines of each parser that the corpus of its fuzz target covers.

`fuzz_coverage.py files TARGET` prints the files that parse the input of a target.
`fuzz_coverage.py summary TARGET FILE` prints a row for what `llvm-cov export -summary-only` wrote to FILE.
`fuzz_coverage.py table FILE` writes the rows in FILE to the document.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = "Docs/Fuzzing.md"
BEGIN, END = "<!-- coverage -->", "<!-- coverage ends -->"
GOAL = 90

# Target -> the files, below Sources, that read its input; for a target whose input is a story, those that the story drives.
PARSERS = {
    "records": ["Wire/RecordDecoder.swift"],
    "frames": ["Wire/Frame.swift", "Wire/IDList.swift"],
    "payload": [
        "Chat/Payload/PayloadBody.swift", "Chat/Payload/PayloadHeader.swift", "Chat/Payload/P2PPayload.swift",
        "Wire/ByteReader.swift",
    ],
    "text": ["Chat/Text/Text.swift", "Chat/Text/TextMeasure.swift", "Chat/Text/DisplayGuard.swift", "Chat/Text/LineRule.swift", "Chat/Text/Emoji.swift"],
    "keys": ["Chat/Text/RoomKey.swift", "Chat/Text/KeyWords.swift", "Chat/Text/RoomKeyWords.swift"],
    "certificate": ["Noise/Certificate.swift"],
    "handshake": [
        "ChatNode/Link/Link.swift", "Noise/Handshake.swift", "Noise/HandshakePayload.swift", "Noise/HandshakeState.swift",
        "Noise/SymmetricState.swift", "Noise/CipherState.swift",
    ],
    "router": [
        "Chat/Admission/Admission.swift", "Chat/Payload/PayloadFrame.swift", "Chat/Payload/SignedPayload.swift", "Chat/Payload/VerifiedPayload.swift",
    ],
    "node": [
        "ChatNode/History/HistoryExchange.swift", "Chat/Payload/PayloadFrame.swift", "Wire/Frame.swift", "Wire/IDList.swift", "Wire/ByteReader.swift",
    ],
    "sealed": ["Chat/Payload/SealedMessage.swift", "Noise/SealedBox.swift"],
    "history": ["ChatNode/History/IHave.swift", "ChatNode/History/IWant.swift"],
    "overlayFrames": [
        "ChatNode/Overlay/TreeFrame.swift", "ChatNode/Overlay/RosterFrame.swift", "ChatNode/Overlay/ContactsFrame.swift",
        "ChatNode/Overlay/ShortIDList.swift",
    ],
    "overlay": [
        "ChatNode/Overlay/TreeSpread.swift", "ChatNode/Overlay/Trees.swift", "ChatNode/Overlay/LazyPush.swift", "ChatNode/Overlay/LoopChecks.swift",
        "ChatNode/Overlay/AntiEntropy.swift",
    ],
    "mdns": [
        "Discovery/MDNS/DNSReader.swift", "Discovery/MDNS/MDNSMessage.swift", "Discovery/MDNS/MDNSName.swift", "Discovery/MDNS/HeardInstance.swift",
        "Discovery/MDNS/WithdrawnInstances.swift", "Discovery/Examination/ExaminationTally.swift", "Discovery/Avahi/AvahiAnswers.swift",
        "Discovery/Network/NetlinkParser.swift", "Discovery/Static/PeerAddress.swift",
    ],
    "browser": [
        "Discovery/Browser/QuietBrowser.swift", "Discovery/MDNS/PointerPacket.swift", "Discovery/MDNS/PointerQuestion.swift",
        "Discovery/MDNS/KnownPointer.swift",
    ],
    "instances": ["Discovery/Browser/InstanceTable.swift", "Discovery/Browser/Lookup.swift", "Discovery/Browser/ResolverQueue.swift"],
    "arguments": [
        "Settings/CommandLine/Invocation.swift", "Settings/CommandLine/OptionParser.swift", "Settings/CommandLine/Option.swift",
        "Settings/CommandLine/Decimal.swift", "Settings/CommandLine/Arguments.swift", "Settings/CommandLine/RoomChoice.swift",
        "Settings/CommandLine/BridgeChoice.swift", "Settings/CommandLine/SendSettings.swift", "Settings/CommandLine/SimulateSettings.swift",
        "Settings/CommandLine/HelpSettings.swift", "Settings/ConfigurationFile/SettingsReader.swift",
    ],
    "configuration": ["Settings/ConfigurationFile/ConfigurationFile.swift"],
    "identity": ["Storage/IdentityText.swift", "Storage/IdentityState.swift", "Storage/StrictText.swift"],
    "commands": [
        "Commands/LineSplitter.swift", "Commands/SlashRule.swift", "Commands/LineWords.swift", "Commands/Operands.swift",
        "Commands/QuotedName.swift",
    ],
    "json": ["Rendering/JSON/JSONReader.swift", "Rendering/JSON/JSONValue.swift", "Settings/CommandLine/ControlRequest.swift"],
    "routes": [
        "Faces/Web/Server/RequestStart.swift", "Faces/Web/Server/RequestTarget.swift", "Faces/Web/Server/RequestGate.swift",
        "Faces/Web/API/Route.swift",
    ],
    "stomp": [
        "Faces/Web/STOMP/STOMPFrame.swift", "Faces/Web/STOMP/STOMPDestination.swift", "Faces/Web/STOMP/STOMPTransactions.swift",
        "Faces/Web/STOMP/STOMPRequests.swift", "Faces/Web/STOMP/STOMPSession.swift",
    ],
    "socketio": ["Faces/Web/SocketIO/SocketIOPacket.swift", "Faces/Web/SocketIO/SocketIOSession.swift"],
    "irc": [
        "Faces/IRC/IRCLines.swift", "Faces/IRC/IRCMessage.swift", "Faces/IRC/IRCRegistration.swift", "Faces/IRC/IRCCommand.swift",
        "Faces/IRC/IRCSession.swift",
    ],
    "editor": [
        "LineEditor/KeyDecoder.swift", "LineEditor/PasteReader.swift", "LineEditor/PastedLines.swift", "LineEditor/LineHistory.swift",
        "LineEditor/EditorState.swift",
    ],
}


def files(target):
    return [f"Sources/{name}" for name in PARSERS[target]]


def row(target, exported):
    """The row of a target: covered lines of all, the share, and the share of each file."""
    of_files = {Path(entry["filename"]).name: entry["summary"]["lines"] for entry in exported["data"][0]["files"]}
    missing = [name for name in PARSERS[target] if Path(name).name not in of_files]
    if missing:
        raise SystemExit(f"earshot: the coverage of {target} has no {', '.join(missing)}")
    shown = [of_files[Path(name).name] for name in PARSERS[target]]
    covered, count = sum(lines["covered"] for lines in shown), sum(lines["count"] for lines in shown)
    each = ", ".join(f"{Path(name).stem} {percent(lines['covered'], lines['count'])}" for name, lines in zip(PARSERS[target], shown, strict=True))
    return f"| `{target}` | {covered} of {count} | {percent(covered, count)} | {each} |"


def percent(covered, count):
    """Rounded down, so that 100 % means all."""
    return f"{100 * covered // count if count else 100} %"


def with_table(document, rows):
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    head = "| target | lines covered | share | of each file |\n|---|---|---|---|\n"
    return f"{before}{BEGIN}\n{head}" + "".join(f"{line}\n" for line in rows) + f"{END}{after}"


if __name__ == "__main__":
    action, *words = sys.argv[1:]
    if action == "files":
        print("\n".join(files(words[0])))
    elif action == "summary":
        print(row(words[0], json.loads(Path(words[1]).read_text())))
    else:
        document = ROOT / DOCUMENT
        document.write_text(with_table(document.read_text(), Path(words[0]).read_text().splitlines()))
