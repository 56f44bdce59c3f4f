//! The rules of a string as constraints of its column, the same SQL on both engines: the table records what was declared.

use xxhash_rust::xxh3::xxh3_64;

use super::ident::{literal, quote};
use crate::catalog::field::Field;
use crate::catalog::rule::Format;

/// What the names of these constraints begin with, behind the name of the column.
const KEYS: [&str; 3] = ["format ", "choices ", "max_length "];

/// One rule.
pub(super) struct RuleCheck {
    /// The name of the constraint, behind that of the column. It is another one for another rule.
    pub(super) name: String,
    pub(super) condition: String,
    /// What is asked of the stored records where the table does not have it yet.
    pub(super) about: About,
}

pub(super) enum About {
    Format(Format),
    Choices,
    MaxLength(u64),
}

/// The rules of a field.
pub(super) fn of(field: &Field) -> Vec<RuleCheck> {
    let (rules, column) = (field.rules(), quote(field.name()));
    let mut checks = Vec::new();
    if let Some(format) = rules.format {
        let name = format!("format {}", format.name());
        checks.push(RuleCheck { name, condition: weak(format, &column), about: About::Format(format) });
    }
    if !rules.choices.is_empty() {
        let choices = rules.choices.iter().map(|choice| literal(choice)).collect::<Vec<_>>().join(", ");
        let name = format!("choices {:016x}", xxh3_64(choices.as_bytes()));
        checks.push(RuleCheck { name, condition: format!("{column} IN ({choices})"), about: About::Choices });
    }
    if let Some(most) = rules.max_length {
        let (name, condition) = (format!("max_length {most}"), format!("length({column}) <= {most}"));
        checks.push(RuleCheck { name, condition, about: About::MaxLength(most) });
    }
    checks
}

/// Whether what stands behind the name of a column is the name of a rule.
pub(super) fn is_name(name: &str) -> bool {
    KEYS.iter().any(|key| name.starts_with(key))
}

/// What every text of a format has, as far as SQL can say it alike on both engines.
fn weak(format: Format, column: &str) -> String {
    match format {
        Format::Email => format!("{column} LIKE '%_@_%'"),
        Format::Phone => format!("length({column}) >= 3"),
        Format::Url => {
            format!("substr({column}, 1, 7) = 'http://' OR substr({column}, 1, 8) = 'https://'")
        }
    }
}
