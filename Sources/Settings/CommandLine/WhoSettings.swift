/// The settings of `earshot who`.
struct WhoSettings: AskingSettings {
    static let command = Invocation.CommandName.who
    package static let summary = "list the peers of the node that runs, here and gone"
    static let options: [Option<WhoSettings>] =
        [
            ClientRequest.roomOption("those of this room, instead of the open one") { $0.place = $1 },
            .flag("--json", "the answer as a line of JSON") { $0.isJSON = true },
        ] + ControlChoice.asking()

    /// The name of a room; nil for the open one.
    private var place: String?

    package var isJSON = false
    package var control = ControlChoice.own
    package var configuration = ConfigurationChoice.own

    package var question: ClientRequest {
        let request = ControlRequest(.command("/who"), as: isJSON ? .json : .plain, in: place)
        return ClientRequest(control: control, requests: .these([request]), showsJSON: isJSON)
    }
}
