//! Cards as programs write them, made by hand after real ones, and what each gives.

use super::{ADDRESS, USERS, catalog, take};

/// The program, the lines of its card, and what is expected.
const SHAPES: [(&str, &str, &str); 30] = [
    (
        "Google Contacts",
        "VERSION:3.0\nFN:Ada King Lovelace\nN:Lovelace;Ada;King;;\nEMAIL;TYPE=INTERNET;TYPE=HOME:ada@example.org\n\
         EMAIL;TYPE=INTERNET;TYPE=WORK:ada@work.example\nTEL;TYPE=CELL:+33 1 23\nitem1.URL:http\\://example.org\n\
         item1.X-ABLabel:PROFILE\nBDAY:1815-12-10\nNOTE:One\\nTwo\nCATEGORIES:myContacts",
        "first_name=Ada last_name=Lovelace email=ada@example.org phone=+33 1 23 birthday=1815-12-10 note=One\nTwo \
         url=http://example.org (CATEGORIES 1) (EMAIL+ 1) (N.middle 1)",
    ),
    (
        "Google Contacts, an address with a label of its own",
        "VERSION:3.0\nN:;;;;\nFN:\nitem1.ADR:;;45 quai de Valmy;Paris;;75010;France;45 quai de Valmy\\nParis\n\
         item1.X-ABLabel:",
        "first_name:none last_name:none address.street=quai de Valmy address.number=45 address.city=Paris \
         address.region:none address.postal_code=75010 address.country=France (ADR.room 1)",
    ),
    (
        "Google Contacts, organization",
        "VERSION:3.0\nFN:A\nN:;A;;;\nORG:Analytical Engines;Research\nTITLE:Countess\nPHOTO:https://lh3.example/x",
        "first_name=A last_name:none company=Analytical Engines title=Countess (ORG.unit 1) (PHOTO 1)",
    ),
    (
        "Apple Contacts, macOS",
        "VERSION:3.0\nPRODID:-//Apple Inc.//macOS 14.0//EN\nN:Appleseed;Johnny;;;\nFN:Johnny Appleseed\nORG:Apple;\n\
         EMAIL;type=INTERNET;type=HOME;type=pref:j@example.org\nTEL;type=CELL;type=VOICE;type=pref:(555) 0100\n\
         TEL;type=HOME;type=VOICE:(555) 0101\nitem1.ADR;type=HOME;type=pref:;;1 Infinite Loop;Cupertino;CA;95014;USA\n\
         item1.X-ABADR:us\nUID:6F9619FF\nREV:2024-01-01T00:00:00Z",
        "first_name=Johnny last_name=Appleseed email=j@example.org phone=(555) 0100 company=Apple \
         address.street=Infinite Loop address.number=1 address.city=Cupertino address.region=CA \
         address.postal_code=95014 address.country=USA (TEL+ 1) (X-ABADR 1) foreign",
    ),
    (
        "Apple, labels of one's own",
        "VERSION:3.0\nN:B;A;;;\nFN:A B\nitem1.TEL;type=pref:1\nitem1.X-ABLabel:Cabin\nitem2.X-ABRELATEDNAMES:Bob\n\
         item2.X-ABLabel:_$!<Friend>!$_",
        "first_name=A last_name=B phone=1 (X-ABLABEL 1) (X-ABRELATEDNAMES 1)",
    ),
    (
        "iOS, a birthday without a year",
        "VERSION:3.0\nN:B;A;;;\nFN:A B\nBDAY;value=date;X-APPLE-OMIT-YEAR=1604:1604-04-15",
        "first_name=A last_name=B (BDAY.unclear 1)",
    ),
    (
        "iCloud, a photo in base64",
        "VERSION:3.0\nN:B;A;;;\nFN:A B\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRg\n  ABAQAAAQABAAD/2w\n  BDAAE=",
        "first_name=A last_name=B (PHOTO 1)",
    ),
    (
        "Apple, a company",
        "VERSION:3.0\nN:;;;;\nFN:Apple Inc.\nORG:Apple Inc.;\nX-ABShowAs:COMPANY",
        "first_name:none last_name:none company=Apple Inc. (FN 1) (X-ABSHOWAS 1)",
    ),
    (
        "Outlook 2.1",
        "VERSION:2.1\nN;LANGUAGE=en-us:Doe;John\nFN:John Doe\nORG:Contoso;Sales\nTITLE:Manager\n\
         TEL;WORK;VOICE:(425) 555-0100\nTEL;CELL;VOICE:(425) 555-0101\n\
         ADR;WORK;PREF:;;1 Main St;Redmond;WA;98052;United States\n\
         LABEL;WORK;PREF;ENCODING=QUOTED-PRINTABLE:1 Main St=0D=0A=\nRedmond\nX-MS-OL-DEFAULT-POSTAL-ADDRESS:2\n\
         EMAIL;PREF;INTERNET:john@contoso.com\nREV:20240101T000000Z",
        "first_name=John last_name=Doe email=john@contoso.com phone=(425) 555-0100 company=Contoso title=Manager \
         address.street=Main St address.number=1 address.city=Redmond address.region=WA \
         address.postal_code=98052 address.country=United States (LABEL 1) (ORG.unit 1) (TEL+ 1) \
         (X-MS-OL-DEFAULT-POSTAL-ADDRESS 1)",
    ),
    (
        "Outlook 2.1, windows-1252 and two lines of a street",
        "VERSION:2.1\nN;CHARSET=windows-1252;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg\n\
         ADR;HOME;ENCODING=QUOTED-PRINTABLE:;;1600 Pennsylvania Ave NW=0D=0A=\nBox 2;Washington;DC;20001;USA",
        "first_name=Jörg last_name=Müller address.street=Pennsylvania Ave NW\nBox 2 address.number=1600 \
         address.city=Washington address.region=DC address.postal_code=20001 address.country=USA",
    ),
    (
        "Outlook 2.1, a note with backslashes",
        "VERSION:2.1\nN:Doe;John\nNOTE;ENCODING=QUOTED-PRINTABLE:C:\\new=0D=0A=\n=0D=0A",
        "first_name=John last_name=Doe note=C:\\new\n\n",
    ),
    (
        "Outlook.com 3.0",
        "PROFILE:VCARD\nVERSION:3.0\nMAILER:Microsoft Exchange\nN:Doe;John;;;\nFN:John Doe\nBDAY:\nCLASS:PUBLIC\n\
         TEL;TYPE=HOME:1",
        "first_name=John last_name=Doe phone=1 birthday:none (CLASS 1) (MAILER 1) (PROFILE 1)",
    ),
    (
        "Thunderbird 4.0",
        "VERSION:4.0\nEMAIL;PREF=1:ada@example.org\nEMAIL:other@example.org\nFN:Ada Lovelace\nN:Lovelace;Ada;;;\n\
         TEL;TYPE=cell;VALUE=TEXT:0123\nBDAY;VALUE=DATE:18151210\nUID:9fe7a4c4-7f20",
        "first_name=Ada last_name=Lovelace email=ada@example.org phone=0123 birthday=1815-12-10 (EMAIL+ 1) foreign",
    ),
    (
        "Thunderbird 4.0, an address and dates",
        "VERSION:4.0\nN:L;A;;;\nADR:;;Hauptstraße 5;Berlin;;10827;Deutschland\nBDAY;VALUE=DATE:--1210\n\
         ANNIVERSARY;VALUE=DATE:18350708\nORG:Labs;Berlin",
        "first_name=A last_name=L company=Labs address.street=Hauptstraße address.number=5 address.city=Berlin \
         address.region:none address.postal_code=10827 address.country=Deutschland (ANNIVERSARY 1) (BDAY.unclear 1) \
         (ORG.unit 1)",
    ),
    (
        "Android 2.1",
        "VERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;=D0=90=D0=B4=D0=\n=B0;;;\n\
         FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=90=D0=B4=D0=B0\nTEL;CELL:+70000000000\nTEL;CELL:+7000",
        "first_name=Ада last_name:none phone=+70000000000 (TEL+ 1)",
    ),
    (
        "Android 2.1, every byte of an address quoted",
        "VERSION:2.1\nN:;A;;;\nADR;HOME;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;=53=74=65=72=6E=73=74=72=61=C3=9F=65=20=31=30;\
         =46=72=61=6E=6B=66=75=72=74;;=36=30=33=31=38;",
        "first_name=A last_name:none address.street=Sternstraße address.number=10 address.city=Frankfurt \
         address.region:none address.postal_code=60318 address.country:none",
    ),
    (
        "Android 2.1, a photo and its empty line",
        "VERSION:2.1\nN:B;A;;;\nPHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ\n SkZJRg==\n\nX-ANDROID-CUSTOM:vnd;x;;\nTEL;X-Other:1",
        "first_name=A last_name=B phone=1 (PHOTO 1) (X-ANDROID-CUSTOM 1)",
    ),
    (
        "Android 3.0",
        "VERSION:3.0\nN:B;A;;;\nFN:A B\nTEL;TYPE=CELL;TYPE=PREF:2\nTEL;TYPE=HOME:1\nNOTE:a\\, b\\; c\\\\d",
        "first_name=A last_name=B phone=2 note=a, b; c\\d (TEL+ 1)",
    ),
    (
        "Samsung 2.1, a soft line break before an empty line",
        "VERSION:2.1\nN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=89l=\n=C3=A9onore;A;;;\n\
         FN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:A =C3=89l=C3=A9onore=\n\nTEL;CELL;PREF:1\nTEL;WORK;FAX:2",
        "first_name=A last_name=Éléonore phone=1 (TEL+ 1)",
    ),
    (
        "Nokia, words for parameters",
        "version:2.1\nn;encoding=quoted-printable;charset=utf-8:=D0=B2=\n\t=D0=B2;=D0=B0\ntel;pref;cell:1\ntel;home:2",
        "first_name=а last_name=вв phone=1 (TEL+ 1)",
    ),
    (
        "Evolution",
        "VERSION:3.0\nEMAIL;TYPE=WORK;X-EVOLUTION-UI-SLOT=1:a@b.example\nX-EVOLUTION-FILE-AS:B\\, A\nN:B;A;;;\nFN:A B\n\
         X-MOZILLA-HTML:FALSE",
        "first_name=A last_name=B email=a@b.example (X-EVOLUTION-FILE-AS 1) (X-MOZILLA-HTML 1)",
    ),
    (
        "Nextcloud",
        "VERSION:3.0\nPRODID:-//Sabre//Sabre VObject 4.5.4//EN\nUID:x\nFN:A B\nN:B;A;;;\nADR;TYPE=HOME:;;12 bis quai;Paris;;;\n\
         REV;VALUE=DATE-AND-OR-TIME:20240101T000000Z",
        "first_name=A last_name=B address.street=bis quai address.number=12 address.city=Paris \
         address.region:none address.postal_code:none address.country:none foreign",
    ),
    (
        "KAddressBook 4.0, a number as a URI",
        "VERSION:4.0\nN:B;A;;;\nFN:A B\nTEL;VALUE=uri;PREF=1;TYPE=\"voice,home\":tel:+1-555-0100\nLANG:fr",
        "first_name=A last_name=B phone=+1-555-0100 (LANG 1)",
    ),
    (
        "RFC 9554",
        "VERSION:4.0\nN:Vasya;Ivan;;;;Petrov;Jr.\nFN:I\nADR:;;123 Main Street;Any Town;CA;91921;U.S.A.;;;;123;Main Street;;;;;;",
        "first_name=Ivan last_name=Vasya address.street=Main Street address.number=123 address.city=Any Town \
         address.region=CA address.postal_code=91921 address.country=U.S.A. (N.generation 1) (N.secondary 1)",
    ),
    (
        "RFC 6350, quoted labels",
        "VERSION:4.0\nN:B;A;;;\nADR;GEO=\"geo:12.3457,78.910\";LABEL=\"Mr. A: 1 Way; X^n^'Y^'\":;;1 Way;X;;;",
        "first_name=A last_name=B address.street=Way address.number=1 address.city=X address.region:none \
         address.postal_code:none address.country:none",
    ),
    (
        "RFC 2426",
        "VERSION:3.0\nFN:Frank Dawson\nN:Dawson;Frank;;;\nORG:Lotus Development Corporation\n\
         ADR;TYPE=WORK,POSTAL,PARCEL:;;6544 Battleford Drive\n ;Raleigh;NC;27613-3502;U.S.A.\n\
         TEL;TYPE=VOICE,MSG,WORK:+1-919-676-9515\nURL:http://home.earthlink.net/~fdawson",
        "first_name=Frank last_name=Dawson phone=+1-919-676-9515 company=Lotus Development Corporation \
         url=http://home.earthlink.net/~fdawson address.street=Battleford Drive address.number=6544 \
         address.city=Raleigh address.region=NC address.postal_code=27613-3502 address.country=U.S.A.",
    ),
    (
        "an assistant inside",
        "VERSION:2.1\nN:B;A\nAGENT:\nBEGIN:VCARD\nVERSION:2.1\nN:Friday;Fred\nTEL:1\nEND:VCARD\nTEL:2",
        "first_name=A last_name=B phone=2 (AGENT 1)",
    ),
    (
        "a script, no N and a group of contacts",
        "VERSION:4.0\nKIND:group\nFN:Friends\nMEMBER:urn:uuid:1\nMEMBER:urn:uuid:2",
        "(FN 1) (KIND 1) (MEMBER 2)",
    ),
    (
        "a web page, a company alone",
        "VERSION:3.0\nN:;;;;\nORG:ACME\\; Inc.\nADR:;;Am Markt;Bremen;;28195;",
        "first_name:none last_name:none company=ACME; Inc. address.street=Am Markt address.city=Bremen \
         address.region:none address.postal_code=28195 address.country:none",
    ),
    (
        "a phone with commas that nobody escaped",
        "VERSION:3.0\nN:B,C;A;;;\nADR:;;12, rue X, 2e étage;Paris;;;\nTEL:+33,,1",
        "first_name=A last_name=B,C phone=+33,,1 address.street=rue X, 2e étage address.number=12 address.city=Paris \
         address.region:none address.postal_code:none address.country:none",
    ),
];

#[test]
fn cards_of_many_programs_give_what_their_people_meant() {
    let catalog = catalog(&ADDRESS, &USERS);
    for (program, lines, expected) in SHAPES {
        for end in ["\n", "\r\n"] {
            let card = format!("BEGIN:VCARD\n{lines}\nEND:VCARD\n").replace('\n', end);
            assert_eq!(take(&catalog, &card), expected, "{program}");
        }
    }
}
