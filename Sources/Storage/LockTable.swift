/// The holder of a lock, from the text of `/proc/locks`.
enum LockTable {
    /// The process that holds the exclusive lock of `flock` on a file; nil where the table does not say.
    static func holder(in text: String, device: UInt64, inode: UInt64) -> Int? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE", let process = Int(fields[4]) else {
                continue
            }
            if process > 0, isFile(fields[5], device, inode) { return process }
        }
        return nil
    }

    /// `fe:00:16220292`: the device in hexadecimal, major and minor, and the inode.
    private static func isFile(_ name: Substring, _ device: UInt64, _ inode: UInt64) -> Bool {
        let parts = name.split(separator: ":")
        guard parts.count == 3, let major = UInt64(parts[0], radix: 16), let minor = UInt64(parts[1], radix: 16) else {
            return false
        }
        let isSameDevice = major == (device >> 8 & 0xfff | device >> 32 & 0xffff_f000)
        return isSameDevice && minor == (device & 0xff | device >> 12 & 0xffff_ff00) && UInt64(parts[2]) == inode
    }
}
