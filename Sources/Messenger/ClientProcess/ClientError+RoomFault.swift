import MildamClientAPI

extension ClientError {
    /// What a window is told of a fault: its code and parameters, each as long as a line may have them.
    init(_ fault: RoomFault) {
        self.init(Code(rawValue: fault.code) ?? .unnamed)
        for (name, value) in fault.parameters.sorted(by: { $0.key < $1.key }).prefix(ClientError.told) {
            let name = RoomItem.beginning(of: name, bytes: LineLimits.code)
            guard !name.isEmpty else { continue }
            parameters[name] = RoomItem.beginning(of: value, bytes: LineLimits.name)
        }
    }

    /// How many parameters are told at most.
    private static let told = 16

    /// What a window is told of a line that is none.
    init(_ defect: ClientLineDefect) {
        switch defect {
        case .unknown: self.init(.unknownAsk)
        case .tooLong: self.init(.tooLong, ["most": "\(LineLimits.line)"])
        case .unknownField(let field), .outOfRange(let field):
            self.init(.badLine, ["field": RoomItem.beginning(of: field, bytes: LineLimits.name)])
        case .tooDeep, .tooManyValues, .malformed: self.init(.badLine)
        }
    }
}
