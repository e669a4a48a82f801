extension TPMAddress {
    /// How swtpm is started so that it answers at this address; `nil` for a device, and for what is no address.
    ///
    /// The control socket is needed, too: the TSS connects to both. With these flags it is switched on by itself, as a
    /// machine's firmware switches a chip on; without them, every command is refused.
    public var simulatorCommand: String? {
        guard transport == .simulator, let (server, control) = places else { return nil }
        return "swtpm socket --tpm2 --tpmstate dir=FOLDER --server \(server) --ctrl \(control) "
            + "--flags not-need-init,startup-clear"
    }

    /// Where a simulator listens for commands, and for who controls it; `nil` where what is named is no port.
    private var places: (server: String, control: String)? {
        if let path { return ("type=unixio,path=\(path)", "type=unixio,path=\(path).ctrl") }
        let named = configuration.split(separator: ",").first { $0.hasPrefix("port=") }
        // The TSS's own, where none is named.
        guard let port = UInt16(named?.dropFirst("port=".count) ?? "2321") else { return nil }
        return ("type=tcp,port=\(port)", "type=tcp,port=\(Int(port) + 1)")
    }
}
