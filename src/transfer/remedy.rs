//! What can be said about a file so that a fault of it is none. The parameters of a request are named as the flags.

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

impl Remedy {
    pub fn words(&self) -> String {
        match self {
            Self::Column(name) => {
                let (map, name) = (quoted(&format!("{name}=FIELD")), quoted(name));
                format!("Map it with --map {map}, or leave it out with --ignore {name}")
            }
            Self::Properties(names) => {
                let flags: Vec<String> =
                    names.iter().map(|name| format!("--ignore {}", quoted_if_needed(name))).collect();
                format!("Leave them out with {}, or all such with --ignore-rest", flags.join(" "))
            }
            Self::Ids => "Say --match id if they are ours, or --ignore id".into(),
            Self::Encoding => "Say what the file is: --encoding windows-1252".into(),
            Self::Fill(field) => format!("Give one with --fill {field}=0"),
        }
    }
}

/// A text as a shell takes it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The names of properties are plain ones, mostly.
fn quoted_if_needed(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
    if name.bytes().all(is_plain) { name.to_owned() } else { quoted(name) }
}
