//! Reads JSON lines, and a file that is one array of objects, entry by entry.

use std::io::{BufRead, Read};

use crate::catalog::collection::Collection;
use crate::catalog::name::{ID, RESSOURCE_URI};
use crate::record::draft::{self, DraftError};
use crate::record::fault::shorten;
use crate::record::representation::id_of;
use crate::record::value::text;
use crate::transfer::csv::{LARGEST_ENTRY, not_utf8};
use crate::transfer::entry::{Entry, Fault, Given, TWO_RECORDS, Target};
use crate::transfer::import::Options;

/// The objects of a file, each on a line of its own, or all in one array.
pub(in crate::transfer) struct Objects<R> {
    input: R,
    /// What may come next in an array; none where each object has a line of its own.
    expected: Option<Expected>,
    /// The line of the next byte.
    line: u64,
    offset: u64,
    is_over: bool,
}

/// What may come next in an array of objects, outside of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Where it begins.
    Bracket,
    /// After the bracket: it may be empty.
    ObjectOrEnd,
    Comma,
    /// After a comma.
    Object,
    /// After its end.
    Nothing,
}

impl Expected {
    /// What may come after this byte; none where it may not stand here.
    fn after(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => Some(self),
            (Self::Bracket, b'[') => Some(Self::ObjectOrEnd),
            (Self::ObjectOrEnd | Self::Object, b'{') => Some(Self::Comma),
            (Self::ObjectOrEnd | Self::Comma, b']') => Some(Self::Nothing),
            (Self::Comma, b',') => Some(Self::Object),
            _ => None,
        }
    }
}

impl<R: BufRead> Objects<R> {
    pub(in crate::transfer) fn new(input: R, is_array: bool) -> Self {
        let expected = is_array.then_some(Expected::Bracket);
        Self { input, expected, line: 1, offset: 0, is_over: false }
    }

    /// The next object as it stands, with the line on which it begins.
    pub(in crate::transfer) fn next(&mut self) -> Result<Option<(u64, String)>, Fault> {
        let mut object = Vec::new();
        let (begun, offset) = loop {
            if self.is_over {
                return Ok(None);
            }
            object.clear();
            let begun = (self.line, self.offset);
            let read = match self.expected {
                Some(expected) => self.read_member(expected, &mut object),
                None => self.read_line(&mut object),
            };
            let line = read.inspect_err(|_| self.is_over = true)?.unwrap_or(begun.0);
            if !object.trim_ascii().is_empty() {
                break (line, begun.1);
            }
        };
        let text = String::from_utf8(object).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            not_utf8(begun, offset + valid as u64)
        })?;
        Ok(Some((begun, text)))
    }

    fn read_line(&mut self, object: &mut Vec<u8>) -> Result<Option<u64>, Fault> {
        let line = self.line;
        let mut limited = (&mut self.input).take(LARGEST_ENTRY as u64 + 1);
        let length =
            limited.read_until(b'\n', object).map_err(|error| Fault::at(line, &error.to_string()))?;
        if length > LARGEST_ENTRY {
            return Err(too_large(line));
        }
        self.is_over = length == 0;
        self.line += 1;
        self.offset += length as u64;
        while object.last().is_some_and(u8::is_ascii_whitespace) {
            object.pop();
        }
        Ok(Some(line))
    }

    /// Reads up to the end of the next object in the array. What is outside of objects is judged here.
    fn read_member(&mut self, mut expected: Expected, object: &mut Vec<u8>) -> Result<Option<u64>, Fault> {
        let (mut depth, mut in_string, mut is_escaped, mut begun) = (0_usize, false, false, None);
        loop {
            let buffer = self.input.fill_buf().map_err(|error| Fault::at(self.line, &error.to_string()))?;
            let Some(&byte) = buffer.first() else {
                self.is_over = true;
                let is_whole = depth == 0 && expected == Expected::Nothing;
                return if is_whole { Ok(None) } else { Err(not_json(self.line, "the file ends in it")) };
            };
            self.input.consume(1);
            self.offset += 1;
            if depth == 0 {
                let after = expected.after(byte);
                expected = after.ok_or_else(|| not_json(self.line, "an array of objects is expected"))?;
                self.expected = Some(expected);
            }
            if depth > 0 || byte == b'{' {
                begun.get_or_insert(self.line);
                object.push(byte);
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_string => is_escaped = true,
                    b'"' => in_string = !in_string,
                    b'{' | b'[' if !in_string => depth += 1,
                    b'}' | b']' if !in_string => depth -= 1,
                    _ => {}
                }
            }
            self.line += u64::from(byte == b'\n');
            if object.len() > LARGEST_ENTRY {
                return Err(too_large(begun.unwrap_or(self.line)));
            }
            if depth == 0 && !object.is_empty() {
                return Ok(begun);
            }
        }
    }
}

fn too_large(line: u64) -> Fault {
    Fault::at(line, "the entry has more than 4 MiB")
}

fn not_json(line: u64, why: &str) -> Fault {
    Fault::at(line, &format!("not JSON: {why}"))
}

/// What an object gives; what is no field of the collection, or is left out, is named by `unknown`.
pub(in crate::transfer) fn entry(
    collection: &Collection,
    options: &Options,
    line: u64,
    object: &str,
    mut unknown: impl FnMut(&str),
) -> Result<Entry, Fault> {
    let members = draft::members(object.as_bytes()).map_err(|error| refused(line, error))?;
    let mut given = Vec::with_capacity(members.len());
    for (name, value) in members {
        let json = value.get().to_owned();
        let (target, value) = if options.ignores(&name) {
            unknown(&name);
            continue;
        } else if let Some(target) = options.mapped(&name) {
            (target, if json == "null" { Given::Nothing } else { Given::Json(json) })
        } else if name == ID {
            (Target::Id, Given::Json(json))
        } else if name == RESSOURCE_URI {
            let id = text(&json).and_then(|path| id_of(collection, &path));
            match id {
                Some(id) => (Target::Id, Given::Json(id.to_string())),
                None => {
                    return Err(Fault::at(line, &format!("{name} does not validate: {}", shorten(&json))));
                }
            }
        } else if let Some(position) = collection.find_field(&name) {
            (Target::Field(position), if json == "null" { Given::Nothing } else { Given::Json(json) })
        } else {
            unknown(&name);
            continue;
        };
        // Both of what the service assigns say the same, or the second is judged where it differs.
        if given.contains(&(target, value.clone())) {
            continue;
        }
        if given.iter().any(|(other, _)| *other == target) {
            let words = match target {
                Target::Id => TWO_RECORDS.to_owned(),
                _ => format!("{name} is for a field that another member is for"),
            };
            return Err(Fault::at(line, &words));
        }
        given.push((target, value));
    }
    Ok(Entry { line, given })
}

fn refused(line: u64, error: DraftError) -> Fault {
    match error {
        DraftError::NotJson(why) => not_json(line, &why.replace(" at line 1 column", " at column")),
        DraftError::NotAnObject => Fault::at(line, "it is no object"),
        DraftError::GivenTwice(name) => Fault::at(line, &format!("{name} is given twice")),
        DraftError::TooDeep => Fault::at(line, "it is nested too deeply"),
        _ => not_json(line, "it cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_array: bool) -> Result<Vec<(u64, String)>, String> {
        let mut objects = Objects::new(text.as_bytes(), is_array);
        let mut all = Vec::new();
        while let Some(object) = objects.next().map_err(|fault| fault.words)? {
            all.push(object);
        }
        Ok(all)
    }

    #[test]
    fn lines_and_arrays_give_the_same_objects() {
        let two = vec![(1, r#"{"a":"}\""}"#.to_owned()), (3, r#"{"b":[{}]}"#.to_owned())];
        assert_eq!(read("{\"a\":\"}\\\"\"}\n\n{\"b\":[{}]}\r\n", false), Ok(two.clone()));
        assert_eq!(read("[{\"a\":\"}\\\"\"},\n\n {\"b\":[{}]}]\n", true), Ok(two));
        assert_eq!(read("[{\"a\":1", true), Err("line 1: not JSON: the file ends in it".into()));
        assert_eq!(read("[\n7]", true), Err("line 2: not JSON: an array of objects is expected".into()));
        assert_eq!(read("\n[ ]\n", true), Ok(Vec::new()));
    }

    #[test]
    fn half_an_array_and_two_arrays_are_none() {
        for text in ["[", "[{}", "[{},", "[{}\n"] {
            assert!(read(text, true).is_err_and(|words| words.ends_with("the file ends in it")), "{text}");
        }
        for text in ["[{} {}]", "[{},]", "[,{}]", "[{}],", "[{}][{}]", "[]{}", "[[{}]]", "[{}]]"] {
            assert!(read(text, true).is_err_and(|words| words.ends_with("is expected")), "{text}");
        }
    }
}
