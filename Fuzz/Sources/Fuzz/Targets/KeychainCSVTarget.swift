@testable import MildamKeychain

extension FuzzTarget {
    /// Logins in CSV.
    static let keychainCSV = FuzzTarget(
        name: "keychain-csv",
        source: .file,
        seeds: {
            [
                "name,url,username,password,note\r\nA,https://a.example:8443/x,alice,\"p\"\"w,\",\"1\n2\"\r\nB,,bob,pw,\r\n",
                "\u{feff}folder,type,name,fields,login_uri,login_password,login_totp\nF,login,A,x: 1,\"a.b,c.d\",p,AA\n",
                "url,username,password,httpRealm,guid\n[::1],u,p,r,\n\"x,y\n",
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let result = try? CSVImport.read(input.span) else { return }
            planted(result.logins.count == 1 && result.logins[0].addresses.isEmpty)
            mustBeBounded(result, input)
        }
    )
}
