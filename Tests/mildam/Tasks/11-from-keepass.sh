# TASK: Take over what KeePass keeps, and see what was left out.
# LOOKED UP: README, "Secrets"; mildam keychain import --help
# NEEDS: KeePass's bin is counted
. "$(dirname "$0")/prelude.bash" || exit

keychain
cat >keepass.xml <<'XML'
<KeePassFile><Meta><RecycleBinUUID>BIN=</RecycleBinUUID></Meta><Root><Group><UUID>R=</UUID><Name>Db</Name>
<Entry><String><Key>Title</Key><Value>Bank</Value></String><String><Key>UserName</Key><Value>me</Value></String>
<String><Key>Password</Key><Value>vault of coins</Value></String></Entry>
<Group><UUID>BIN=</UUID><Name>Bin</Name><Entry><String><Key>Title</Key><Value>Gone</Value></String>
<String><Key>Password</Key><Value>thrown away</Value></String></Entry></Group></Group></Root></KeePassFile>
XML
says 'would add 1' mildam keychain import --dry-run keepass.xml
says 'left out: entries in the recycle bin, 1' mildam keychain import keepass.xml
prints 'vault of coins' mildam keychain get Bank me
keeps_quiet_of Gone mildam keychain list
