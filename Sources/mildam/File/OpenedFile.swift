import MildamFiles

/// What was decrypted, and how sure it is.
struct OpenedFile {
    private let format: FileFormat
    let size: Int
    private let layout: String?
    let isAuthenticated: Bool
    /// What the person should know of it.
    let warning: String?

    init(size: Int) {
        self.size = size
        format = .age
        layout = nil
        isAuthenticated = true
        warning = nil
    }

    init(_ opened: RNCryptorOpened, _ format: FileFormat) {
        self.format = format
        size = opened.size
        layout = "\(opened.layout)"
        isAuthenticated = true
        var warnings: [String] = []
        if !opened.layout.isHeaderAuthenticated {
            warnings.append("this version authenticates the content, and not what stands before it")
        }
        if opened.isPasswordTruncated {
            warnings.append("the program that wrote it used only the beginning of the password")
        }
        warning = warnings.isEmpty ? nil : warnings.joined(separator: "; ")
    }

    init(_ opened: LegacyOpened, _ format: FileFormat) {
        self.format = format
        size = opened.size
        layout = "\(opened.key)"
        isAuthenticated = false
        let key =
            switch opened.key {
            case .wholePassword: ""
            case .truncatedPassword: "; its key is the beginning of the password"
            case .zero: "; its key is zero: anybody can open it"
            }
        let other = opened.hasOtherKey ? "; another key that the password may mean fits as well" : ""
        warning = "authenticated: false: this layout cannot tell whether the content is what was written\(key)\(other)"
    }

    func answer(_ path: String) -> Answer {
        Answer(output: path, format: format.rawValue, layout: layout, authenticated: isAuthenticated, size: size)
    }

    struct Answer: Encodable {
        var output: String
        var format: String
        var layout: String?
        var authenticated: Bool
        var size: Int
    }
}
