//! What can be said about a file so that a fault of it is none, in the words of whoever is told: flags of the command, or
//! parameters of a request.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What stands for something else in a query.
const RESERVED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'>');

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// A column that is no field is given one, or left out.
    Column(String),
    /// Properties that have no field are left out.
    Properties(Vec<String>),
    /// Whose the ids are.
    Ids,
    /// What the text is.
    Encoding,
    /// A value for this field, where there is none.
    Fill(String),
}

/// How options are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Flags,
    Parameters,
}

impl Remedy {
    pub fn told(&self, manner: Manner) -> String {
        let say = |name: &str, value: &str| manner.say(name, value);
        match self {
            Self::Column(name) => {
                let quote = if manner == Manner::Flags { "'" } else { "" };
                let map = say("map", &format!("{quote}{name}=FIELD{quote}"));
                format!(
                    "Map it with {map}, or leave it out with {}",
                    say("ignore", &format!("{quote}{name}{quote}"))
                )
            }
            Self::Properties(names) => {
                let (between, rest) = match manner {
                    Manner::Flags => (" ", "--ignore-rest"),
                    Manner::Parameters => ("&", "ignore_rest=true"),
                };
                let all: Vec<String> = names.iter().map(|name| say("ignore", name)).collect();
                format!("Leave them out with {}, or all such with {rest}", all.join(between))
            }
            Self::Ids => format!("Say {} if they are ours, or {}", say("match", "id"), say("ignore", "id")),
            Self::Encoding => format!("Say what the file is: {}", say("encoding", "windows-1252")),
            Self::Fill(field) => format!("Give one with {}", say("fill", &format!("{field}=0"))),
        }
    }
}

impl Manner {
    fn say(self, name: &str, value: &str) -> String {
        match self {
            Self::Flags => format!("--{name} {value}"),
            Self::Parameters => format!("{name}={}", utf8_percent_encode(value, RESERVED)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_told_what_to_write_into_it() {
        for (remedy, words) in [
            (
                Remedy::Column("Nick & Name".into()),
                "Map it with map=Nick%20%26%20Name=FIELD, or leave it out with ignore=Nick%20%26%20Name",
            ),
            (
                Remedy::Properties(vec!["PHOTO".into(), "TEL+".into()]),
                "Leave them out with ignore=PHOTO&ignore=TEL%2B, or all such with ignore_rest=true",
            ),
            (Remedy::Ids, "Say match=id if they are ours, or ignore=id"),
            (Remedy::Encoding, "Say what the file is: encoding=windows-1252"),
            (Remedy::Fill("address.number".into()), "Give one with fill=address.number=0"),
        ] {
            assert_eq!(remedy.told(Manner::Parameters), words);
        }
    }
}
