/// KeePassXC's recycle bin in its CSV export, which tells it by nothing but the name.
///
/// The bin is a group of the outermost one. It has the name that KeePassXC gave it, in its user's language, unless
/// somebody has changed that: then its entries are like any other.
enum KeePassXCBin {
    /// Whether a group, as the export names it, is the bin or lies in it: "Database/Recycle Bin/Work".
    static func contains(group: String) -> Bool {
        let path = group.split(separator: "/", omittingEmptySubsequences: false)
        return path.count > 1 && names.contains(String(path[1]))
    }

    /// The translations of "Recycle Bin" that KeePassXC 2.7 has.
    private static let names: Set<String> = [
        "Recycle Bin", "Papierkorb", "Corbeille", "Papelera", "Cestino", "Prullenbak", "Kosz", "Lixeira", "Reciclagem",
        "Papperskorg", "Papirkurv", "Roskakori", "Koš", "Koš za smeće", "Kôš", "Kuka", "Coș de gunoi", "Çöp kutusu",
        "Корзина", "Смітник", "Кошче", "Корпа за отпатке", "Κάδος Ανακύκλωσης", "Paperera", "Prügikast", "Šiukšlinė",
        "Keranjang Sampah", "Kosh Hedhurinash", "ゴミ箱", "휴지통", "回收站", "回收桶", "ถังขยะ", "سلة المهملات", "סל־מחזור",
        "ធុងសំរាម", "အမှိုက်ပုံး", "ප්‍රතිචක්‍රීකරණ බඳුන",
    ]
}
