//! What a string may be where its field says more than its type: a format, one of some choices, a length.

/// The rules of a field that holds strings; without any, every string is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextRules {
    /// Any text, where there are none.
    pub choices: Vec<String>,
    /// In Unicode characters.
    pub max_length: Option<u64>,
    pub format: Option<Format>,
}

/// Why a text is not taken, in the words that follow the name of its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("it is {}", .0.values())]
    Format(Format),
    #[error("it is a day such as 1815-12-10")]
    NotADay,
    #[error("it is a moment such as 2027-01-31T12:00:00Z")]
    NotAMoment,
    #[error("it is one of {0}")]
    NotAChoice(String),
    #[error("it has at most {0} characters")]
    TooLong(u64),
}

impl TextRules {
    /// Whether a text can be stored in the field.
    pub fn check(&self, text: &str) -> Result<(), Mismatch> {
        match self.format {
            Some(format) if !format.accepts(text) => Err(Mismatch::Format(format)),
            _ => self.check_filter(text),
        }
    }

    /// Whether it makes sense to ask for a text. Formats are not looked at: other tools may have stored anything.
    pub fn check_filter(&self, text: &str) -> Result<(), Mismatch> {
        if !self.choices.is_empty() && self.choices.iter().all(|choice| choice != text) {
            return Err(self.not_a_choice());
        }
        match self.max_length {
            Some(most) if !is_within(text, most) => Err(Mismatch::TooLong(most)),
            _ => Ok(()),
        }
    }

    /// What is wrong with any text that nobody can hold.
    pub fn mismatch(&self) -> Option<Mismatch> {
        match self.format {
            Some(format) => Some(Mismatch::Format(format)),
            None => (!self.choices.is_empty()).then(|| self.not_a_choice()),
        }
    }

    /// A text that they take, as near to this one as they allow.
    pub fn example(&self, text: &str) -> String {
        if let Some(choice) = self.choices.first() {
            return choice.clone();
        }
        let most = self.max_length.unwrap_or(u64::MAX);
        match self.format {
            Some(format) if is_within(format.example(), most) => format.example().to_owned(),
            Some(format) => format.shortest().to_owned(),
            None => text.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect(),
        }
    }

    fn not_a_choice(&self) -> Mismatch {
        Mismatch::NotAChoice(self.choices.join(", "))
    }
}

/// Whether a text has at most so many characters.
fn is_within(text: &str, most: u64) -> bool {
    // No text has fewer bytes than characters.
    text.len() as u64 <= most || text.chars().count() as u64 <= most
}

/// What a string is about, and how it is written then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Email,
    Phone,
    Url,
}

impl Format {
    /// Every format there is.
    pub const ALL: [Format; 3] = [Format::Email, Format::Phone, Format::Url];
    /// The longest address, in bytes.
    pub const LONGEST_EMAIL: usize = 254;
    /// The longest URL, in bytes.
    pub const LONGEST_URL: usize = 2048;

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Format::Email => "email",
            Format::Phone => "phone",
            Format::Url => "url",
        }
    }

    /// The format of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether a text is written so. [`Format::pattern`] says the same, but for lengths.
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Format::Email => text.len() <= Self::LONGEST_EMAIL && is_email(text),
            Format::Phone => is_phone(text),
            Format::Url => text.len() <= Self::LONGEST_URL && is_url(text),
        }
    }

    /// The same as a regular expression of JSON Schema.
    pub fn pattern(self) -> &'static str {
        match self {
            Format::Email => {
                "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\
                 (\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$"
            }
            Format::Phone => "^[-+./() ]*([0-9][-+./() ]*){3,15}(x[0-9]+)?$",
            Format::Url => {
                "^https?://([!-\"$-.0->A-~]*@)?([A-Za-z0-9._~%!$&'()*+,;=-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?\
                 ([/?#][!-~]*)?$"
            }
        }
    }

    /// What it takes, in words.
    pub fn values(self) -> &'static str {
        match self {
            Format::Email => "an address such as ada@example.org",
            Format::Phone => "a number such as +33 1 23 45 67 89",
            Format::Url => "a URL that begins with http:// or https://",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Format::Email => "ada@example.org",
            Format::Phone => "+33 1 23 45 67 89",
            Format::Url => "https://example.org/",
        }
    }

    /// No text that is written so has fewer characters.
    pub fn shortest(self) -> &'static str {
        match self {
            Format::Email => "a@b",
            Format::Phone => "112",
            Format::Url => "http://a",
        }
    }
}

/// What HTML calls a valid e-mail address.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let is_of_local = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_label = |label: &str| {
        let is_of_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_of_label)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !local.is_empty() && local.bytes().all(is_of_local) && domain.split('.').all(is_label)
}

/// 3 to 15 digits with what people write between them, and an extension.
fn is_phone(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let (number, extension) = match text.split_once('x') {
        Some((number, extension)) => (number, Some(extension)),
        None => (text, None),
    };
    let has_extension = extension.is_none_or(|digits| !digits.is_empty() && digits.bytes().all(is_digit));
    let is_number = number.bytes().all(|byte| is_digit(byte) || b"+-./() ".contains(&byte));
    has_extension && is_number && (3..=15).contains(&number.bytes().filter(|byte| is_digit(*byte)).count())
}

/// `http` or `https`, a host, and whatever is printed in ASCII behind it.
fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let Some(rest) = rest.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_graphic())) else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let place = authority.split_once('@').map_or(authority, |(_, place)| place);
    let (host, port) = match place.strip_prefix('[') {
        Some(literal) => {
            let Some((address, port)) = literal.split_once(']') else { return false };
            let is_of_address = |byte: u8| byte.is_ascii_hexdigit() || b":.".contains(&byte);
            (!address.is_empty() && address.bytes().all(is_of_address), port)
        }
        None => {
            let end = place.find(':').unwrap_or(place.len());
            let is_of_host = |byte: u8| byte.is_ascii_alphanumeric() || b"._~%!$&'()*+,;=-".contains(&byte);
            (end > 0 && place[..end].bytes().all(is_of_host), &place[end..])
        }
    };
    let is_port = |port: &str| {
        port.strip_prefix(':')
            .is_some_and(|port| (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit()))
    };
    host && (port.is_empty() || is_port(port))
}

#[cfg(test)]
mod tests;
