import MildamStorage
import MildamSystem
import MildamTransport

/// Why a relay does not start, or stopped.
public enum RelayError: Error, CustomStringConvertible, Sendable {
    /// Another relay has the data folder.
    case alreadyRunning(folder: String)
    /// There is no relay's data in the folder.
    case noData(folder: String)
    /// Plain HTTP on an address that other machines reach.
    case plainOffLoopback(address: String)
    /// What is no address that people could reach a relay under.
    case publicURL(String)
    /// A file of the relay's own cannot be read as what it should be.
    case damaged(String)
    /// The database is there, but the file with the relay's own keys is not.
    case secretsMissing(String)
    /// The database.
    case storage(StorageError)
    /// The network, or TLS.
    case transport(TransportError)
    /// The operating system refused.
    case system(SystemError)

    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .alreadyRunning(let folder):
            "another relay is running on \(folder); stop it first, or name another folder with --data"
        case .noData(let folder):
            "\(folder) has no relay's data; name the relay's folder with --data"
        case .plainOffLoopback(let address):
            """
            \(address) can be reached from other machines, and without TLS everything on the way can read passwords' \
            authenticators and tokens; give --certificate and --key, or --plain-anywhere behind a proxy that ends TLS
            """
        case .publicURL(let text):
            "\(text) is no address of a relay; --public-url takes https://HOST or https://HOST:PORT"
        case .damaged(let path):
            "\(path) is damaged; restore it from a backup"
        case .secretsMissing(let path):
            "\(path) is missing, and without it this would be another relay; restore it from a backup"
        case .storage(let error): error.description
        case .transport(let error): error.description
        case .system(let error): error.description
        }
    }
}
