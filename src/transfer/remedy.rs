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
                format!("Map it with --map '{name}=FIELD', or leave it out with --ignore '{name}'")
            }
            Self::Properties(names) => {
                let flags: Vec<String> = names.iter().map(|name| format!("--ignore {name}")).collect();
                format!("Leave them out with {}, or all such with --ignore-rest", flags.join(" "))
            }
            Self::Ids => "Say --match id if they are ours, or --ignore id".into(),
            Self::Encoding => "Say what the file is: --encoding windows-1252".into(),
            Self::Fill(field) => format!("Give one with --fill {field}=0"),
        }
    }
}
