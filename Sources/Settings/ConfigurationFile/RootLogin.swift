/// Whether a user who could use another account runs the program with root's rights.
///
/// A container has no login: there root is the only user, and holds no more than the container. The root of a user
/// namespace (user_namespaces(7)) has no rights outside of it.
struct RootLogin {
    var effectiveUser: UInt32
    /// /proc/self/uid_map: the users of this namespace.
    var userMap: String?
    /// /proc/self/loginuid: the user of the login; 2^32 - 1 for none (pam_loginuid(8)).
    var loginUser: String?
    /// Set by sudo, pkexec and doas.
    var hasBecomeRoot: Bool

    static let becomingRoot = ["SUDO_UID", "PKEXEC_UID", "DOAS_USER"]

    var isPresent: Bool {
        guard effectiveUser == 0, isFirstNamespace else { return false }
        let login = loginUser.flatMap { UInt32($0.prefix { $0.isNumber }) }
        return hasBecomeRoot || login.map { $0 != .max } ?? false
    }

    private var isFirstNamespace: Bool {
        let numbers = userMap?.split { $0 == " " || $0 == "\n" }.prefix(2)
        return numbers.map { $0.elementsEqual(["0", "0"]) } ?? true
    }
}
