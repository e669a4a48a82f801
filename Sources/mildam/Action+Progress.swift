import MildamFiles
import MildamTerminal

extension Action {
    /// Runs something long with a line of progress, and says on a terminal how fast it was; unless its content goes to
    /// the same terminal.
    func following<Result>(
        _ label: String,
        to target: FileTarget? = nil,
        _ body: (FileMonitor) throws -> Result
    ) rethrows -> Result {
        if let target, target.path == nil, console.isTerminal() { return try body(FileMonitor()) }
        let progress = Progress(label, console: console)
        defer { progress.finish() }
        let result = try body(FileMonitor(progress: { progress.update(to: Int64($0), of: $1.map(Int64.init)) }))
        progress.finish()
        if let summary = progress.summary { console.complain(summary) }
        return result
    }
}
