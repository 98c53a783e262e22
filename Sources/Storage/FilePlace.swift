/// A path cut into the directory and the name in it.
struct FilePlace: Hashable, Sendable {
    /// As it was given.
    let path: String
    /// `.` for a path without one.
    let directory: String
    let name: String

    init(_ path: String) throws(StorageError) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        guard !name.isEmpty, name != ".", name != ".." else { throw StorageError(path, .noName) }
        self.path = path
        self.name = String(name)
        switch slash {
        case nil: directory = "."
        case path.startIndex: directory = "/"
        case .some(let slash): directory = String(path[..<slash])
        }
    }

    /// The file beside this one whose name is longer by `suffix`.
    func beside(_ suffix: String) -> FilePlace {
        FilePlace(path: path + suffix, directory: directory, name: name + suffix)
    }

    /// The directory and those that it is in, the outermost first.
    var ancestors: [String] {
        var ancestors: [String] = []
        for index in directory.indices where directory[index] == "/" && index > directory.startIndex {
            ancestors.append(String(directory[..<index]))
        }
        return ancestors + [directory]
    }

    private init(path: String, directory: String, name: String) {
        self.path = path
        self.directory = directory
        self.name = name
    }
}
