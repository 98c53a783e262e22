import CQRCode
import Reactor

/// A QR code (ISO/IEC 18004), drawn by libqrencode.
struct QRCode: Sendable {
    /// Nil if libqrencode is not there.
    private static let library = unsafe loadedTable(qr_code_functions_load)

    /// The rows from the top, each from the left; true for a dark module.
    let rows: [[Bool]]

    /// - Returns: nil without the library, and for a text that no code can have.
    init?(_ text: String) {
        guard let library = QRCode.library, let code = unsafe library.encode(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1)
        else { return nil }
        defer { unsafe library.release(code) }
        let width = unsafe Int(code.pointee.width)
        guard width > 0, let data = unsafe code.pointee.data else { return nil }
        // The lowest bit of a module is its colour.
        rows = (0..<width).map { row in (0..<width).map { column in unsafe data[row * width + column] & 1 == 1 } }
    }

    /// A picture (SVG 2) with the margin of four modules that readers need.
    var svg: String {
        let size = rows.count + 8
        var path = ""
        for (row, modules) in rows.enumerated() {
            for (column, isDark) in modules.enumerated() where isDark { path += "M\(column + 4) \(row + 4)h1v1h-1z" }
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size) \(size)\">"
            + "<path fill=\"#fff\" d=\"M0 0h\(size)v\(size)H0z\"/><path d=\"\(path)\"/></svg>"
    }
}
