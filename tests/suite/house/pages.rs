//! What the pages tell a reader to type works, and answers as they print it.
//!
//! A page is followed from top to bottom: each `sh` block is done, and the `text` or `json` block right
//! after it is what must come out, with `…` for whatever may differ. A `toml` block becomes `carnet.toml`
//! in a new folder. Port 8080 of the page is the free port of the test's own server.

use std::sync::Arc;

use dev::answer::Answer;
use dev::request::Request;

use super::repository::read;
use crate::support::home::Home;
use crate::support::server::Server;

const ADDRESS: &str = "127.0.0.1:8080";

/// A fenced block: its language and its text.
struct Block {
    language: String,
    text: String,
    /// Nothing but empty lines stands between it and the block before.
    follows: bool,
}

fn blocks(page: &str) -> Vec<Block> {
    let parts: Vec<&str> = page.split("```").collect();
    let fenced = parts.iter().enumerate().skip(1).step_by(2);
    fenced
        .map(|(position, part)| {
            let (language, text) = part.split_once('\n').unwrap_or((part, ""));
            Block {
                language: language.to_owned(),
                text: text.trim_end().to_owned(),
                follows: parts[position - 1].trim().is_empty(),
            }
        })
        .collect()
}

/// A reader with a terminal: a folder, a server that may be running, a key in a variable.
struct Reader {
    home: Arc<Home>,
    server: Option<Server>,
    access_key: String,
}

impl Reader {
    fn new() -> Reader {
        Reader { home: Home::empty(), server: None, access_key: String::new() }
    }

    /// Does what one line says, and gives what is to be seen.
    fn type_in(&mut self, line: &str) -> String {
        let line = line.split(" #").next().unwrap().trim();
        let database = line.strip_prefix("carnet --database ");
        if line == "cargo run --release" || line == "carnet" || database.is_some() {
            self.server = None;
            let mut command = self.home.command(&["--listen", "127.0.0.1:0"]);
            if let Some(database) = database {
                command.args(["--database", database]);
            }
            let server = Server::launch(&self.home, command);
            let said = server.stdout().replace(&server.address().to_string(), ADDRESS);
            self.server = Some(server);
            return said;
        }
        // It runs this very test.
        if line == "cargo install --path ." || line == "./test" {
            return String::new();
        }
        if let Some(command) = line.strip_prefix("KEY=$(").and_then(|rest| rest.strip_suffix(')')) {
            self.access_key = self.type_in(command).trim_end().to_owned();
            return String::new();
        }
        let words = words(&line.replace("$KEY", &self.access_key));
        let (program, arguments) = words.split_first().unwrap();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match program.as_str() {
            "carnet" => {
                // The page says that the server is to be stopped.
                if arguments.first() == Some(&"import") {
                    self.server.take().map(Server::stop);
                }
                self.home.run_bare(&arguments).exits(0).stdout
            }
            "printf" => {
                let [text, ">", file] = arguments[..] else { panic!("into which file? {line}") };
                std::fs::write(self.home.path(file), text.replace("\\n", "\n")).unwrap();
                String::new()
            }
            "curl" => self.curl(&arguments),
            _ => panic!("a reader may not be able to do this: {line}"),
        }
    }

    /// As much of curl as the pages use.
    fn curl(&mut self, arguments: &[&str]) -> String {
        if self.server.is_none() {
            self.type_in("carnet");
        }
        let server = self.server.as_ref().unwrap();
        let (mut method, mut target, mut shows_head) = (None, None, false);
        let (mut headers, mut body) = (Vec::new(), None);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || *arguments.next().unwrap_or_else(|| panic!("{argument} of what?"));
            match *argument {
                "-i" => shows_head = true,
                "-X" => method = Some(value()),
                "-H" => headers.push(value().split_once(": ").unwrap()),
                "-d" => body = Some(value().to_owned()),
                "--data-binary" => {
                    let file =
                        value().strip_prefix('@').unwrap_or_else(|| panic!("{argument} of which file?"));
                    body = Some(std::fs::read_to_string(self.home.path(file)).unwrap());
                }
                url => {
                    let path = url.strip_prefix("http://").and_then(|url| url.strip_prefix(ADDRESS));
                    target = Some(path.unwrap_or_else(|| panic!("curl has no {url} here")));
                }
            }
        }
        let method = method.unwrap_or(if body.is_some() { "POST" } else { "GET" });
        let mut request = Request::new(&format!("{method} {}", target.unwrap()));
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            // What curl says about a body unless it is told otherwise.
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                request = request.header("Content-Type", "application/x-www-form-urlencoded");
            }
            request = request.body(body);
        }
        let answer = server.send(&request);
        shown(&answer, shows_head).replace(&server.address().to_string(), ADDRESS)
    }
}

/// What curl prints of an answer.
fn shown(answer: &Answer, shows_head: bool) -> String {
    if !shows_head {
        return answer.body_text().to_owned();
    }
    let mut text = format!("HTTP/1.1 {} {}\n", answer.status, answer.reason);
    for (name, value) in &answer.headers {
        text.push_str(&format!("{name}: {value}\n"));
    }
    text.push('\n');
    text.push_str(answer.body_text());
    text
}

/// The words of a shell's line; quotes hold them together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote is not closed: {line}");
    words.extend(word);
    words
}

/// Whether a text is what a page prints, where `…` stands for anything.
fn is_as_printed(text: &str, printed: &str) -> bool {
    let pieces: Vec<&str> = printed.split('…').map(|piece| piece.trim_matches('\n')).collect();
    let (first, rest) = pieces.split_first().unwrap();
    let Some(mut left) = text.trim_end().strip_prefix(first) else {
        return false;
    };
    for piece in rest {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    // After a last `…` anything may follow.
    rest.last().is_some_and(|last| last.is_empty()) || left.is_empty()
}

/// Follows a page, and says how many outputs were compared.
#[track_caller]
fn follow(page: &str) -> usize {
    let mut reader = Reader::new();
    let (mut seen, mut compared) = (String::new(), 0);
    for block in blocks(&read(page)) {
        match block.language.as_str() {
            "toml" => {
                reader = Reader::new();
                std::fs::write(reader.home.path("carnet.toml"), &block.text).unwrap();
            }
            "sh" => {
                let lines = block.text.lines().map(|line| reader.type_in(line));
                // A terminal shows both ends of a line alike.
                seen = lines.collect::<String>().replace("\r\n", "\n");
            }
            "text" | "json" if block.follows => {
                assert!(
                    is_as_printed(&seen, &block.text),
                    "{page} prints:\n{}\nand there is:\n{seen}",
                    block.text
                );
                compared += 1;
            }
            language => panic!("{page}: a block of {language:?} that follows no command"),
        }
    }
    compared
}

#[test]
fn the_readme_works_as_pasted() {
    assert_eq!(follow("README.md"), 4);
}

#[test]
fn getting_started_works_as_written() {
    assert!(follow("docs/getting-started.md") >= 14);
}

#[test]
fn the_examples_of_the_api_are_answered_as_printed() {
    assert!(follow("docs/api.md") >= 10);
}

#[test]
fn what_is_said_of_data_in_files_works_as_written() {
    assert!(follow("docs/data.md") >= 3);
}

#[test]
fn the_readme_fits_one_screen() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 75, "{lines} lines");
}

#[test]
fn a_line_is_taken_apart_as_a_shell_would() {
    assert_eq!(words(r#"curl -d '{"a": 1}' "x y" b"#), ["curl", "-d", r#"{"a": 1}"#, "x y", "b"]);
}

#[test]
fn dots_stand_for_anything_and_the_rest_must_be_there() {
    assert!(is_as_printed("a\nb\nc\n", "a\n…\nc"));
    assert!(is_as_printed("a\nb\nc\n", "a\n…"));
    assert!(is_as_printed("a\n", "a"));
    assert!(!is_as_printed("a\nb\n", "a"));
    assert!(!is_as_printed("a\nb\nc\n", "b\n…"));
    assert!(!is_as_printed("a\nb\nc\n", "a\n…\nd"));
}
