/// A system of values that cannot be copied, because they own keys: it is made anew and its steps are taken again.
protocol Scene: AnyObject {
    associatedtype Step: Sendable, CustomStringConvertible
    /// The bounds and the changed rule, in which one search differs from another.
    associatedtype Setting

    init(_ setting: Setting)

    /// As in `World`.
    var steps: [Step] { get }
    var isQuiet: Bool { get }
    func take(_ step: Step) throws(Breach)
    func write(to digest: inout Digest)
    func judge() throws(Breach)
}

/// A scene as a world: the steps so far, and what the search has to know of the state behind them.
struct Replay<Subject: Scene>: World {
    private let setting: Subject.Setting
    private var path: [Subject.Step] = []
    private(set) var steps: [Subject.Step]
    private var content: [UInt8]
    private(set) var isQuiet = false
    private var breachInQuiet: Breach?

    init(_ setting: Subject.Setting) {
        self.setting = setting
        (steps, content) = ([], [])
        look(at: Subject(setting))
    }

    mutating func take(_ step: Subject.Step) throws(Breach) {
        let scene = Subject(setting)
        for earlier in path { try scene.take(earlier) }
        try scene.take(step)
        path.append(step)
        look(at: scene)
    }

    private mutating func look(at scene: Subject) {
        steps = scene.steps
        var digest = Digest()
        scene.write(to: &digest)
        content = digest.content
        isQuiet = scene.isQuiet
        guard isQuiet else { return }
        do throws(Breach) { try scene.judge() } catch { breachInQuiet = error }
    }

    func write(to digest: inout Digest) { digest.write(content) }

    func judge() throws(Breach) { if let breachInQuiet { throw breachInQuiet } }
}
