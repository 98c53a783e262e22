/// Whether somebody who could be somebody else runs the program with root's rights.
///
/// In a container nobody has logged in: there root is the only user, and holds no more than the container. The root of a
/// user namespace (user_namespaces(7)) has no rights outside of it.
struct RootLogin {
    var effectiveUser: UInt32
    /// What /proc/self/uid_map says: of which users this namespace consists.
    var userMap: String?
    /// What /proc/self/loginuid says: who has logged in; 2^32 - 1 for nobody (pam_loginuid(8)).
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
