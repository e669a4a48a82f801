extension TPMAddress {
    /// How swtpm is started so that it answers at this address; `nil` for a device.
    ///
    /// The control socket is needed, too: the TSS connects to both. With these flags it is switched on by itself, as a
    /// machine's firmware switches a chip on; without them, every command is refused.
    public var simulatorCommand: String? {
        guard transport == .simulator else { return nil }
        let server = path.map { "type=unixio,path=\($0)" } ?? "type=tcp,port=\(port)"
        let control = path.map { "type=unixio,path=\($0).ctrl" } ?? "type=tcp,port=\(port + 1)"
        return "swtpm socket --tpm2 --tpmstate dir=FOLDER --server \(server) --ctrl \(control) "
            + "--flags not-need-init,startup-clear"
    }

    /// The port of a simulator that has no path; the TSS's own where none is named.
    private var port: Int {
        let named = configuration.split(separator: ",").first { $0.hasPrefix("port=") }
        return named.flatMap { Int($0.dropFirst("port=".count)) } ?? 2321
    }
}
