/// Where reports are shown, in the order in which they come.
package protocol ReportDisplay: Sendable {
    /// - Returns: false once nothing can be shown any more: there is nothing left to do but to leave.
    func show(_ reports: [Report]) async -> Bool

    /// Nothing more comes, neither to show nor from whoever types.
    func finish() async
}
