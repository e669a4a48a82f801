extension Insecure {
    /// AES (FIPS 197) in modes that do not authenticate: whoever can change a ciphertext changes what it decrypts to.
    ///
    /// For reading and writing formats that have a MAC of their own. It is checked before a byte is decrypted;
    /// otherwise whoever may ask again and again whether a changed ciphertext is accepted learns what it says, be it
    /// from the error, from its time, or from what a program does next (a padding oracle).
    public enum AES {
        /// The size of a block in bytes.
        public static let blockByteCount = 16

        /// Cipher Block Chaining (NIST SP 800-38A, section 6.2), padded as PKCS#7 does (RFC 5652, section 6.3): the
        /// ciphertext is 1 to 16 bytes longer than the content, a multiple of 16.
        public enum CBC {}
    }
}
