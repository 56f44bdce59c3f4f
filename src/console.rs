//! Console: the face for browsers, as files that are in the binary.
//!
//! `build.rs` puts them together and compresses them. A debug build looks at the folder again for each request, so
//! that an edited file shows on reload; a release build knows no folder.

#[cfg(debug_assertions)]
mod bundle;

use std::borrow::Cow;

/// One file of the console, as the bytes that are sent.
#[derive(Debug, Clone)]
pub struct File {
    pub content_type: &'static str,
    pub plain: Cow<'static, [u8]>,
    /// The same, compressed; absent for what was edited after the build.
    pub gzip: Option<&'static [u8]>,
}

/// What a path below `/console/` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The lists and records.
    Start,
    /// The description of the API: the same page, which looks at its own address.
    Api,
    Script,
    Licences,
}

impl Place {
    /// What a path below `/console/` names, given without slashes around it.
    pub fn find(path: &str) -> Option<Self> {
        match path {
            "" => Some(Self::Start),
            "api" => Some(Self::Api),
            path => match path.split_once('/')? {
                (build, "app.js") => (build == console().build).then_some(Self::Script),
                (build, "licences.txt") => (build == console().build).then_some(Self::Licences),
                _ => None,
            },
        }
    }

    /// Whether it is a page, whose address stays when its content changes.
    pub fn is_page(self) -> bool {
        matches!(self, Self::Start | Self::Api)
    }

    pub fn file(self) -> File {
        let console = console();
        match self {
            Self::Start | Self::Api => console.page,
            Self::Script => console.script,
            Self::Licences => console.licences,
        }
    }
}

/// All files, of one build.
struct Console {
    build: Cow<'static, str>,
    page: File,
    script: File,
    licences: File,
}

macro_rules! built {
    ($name:literal, $content_type:literal) => {
        File {
            content_type: $content_type,
            plain: Cow::Borrowed(include_bytes!(concat!(env!("OUT_DIR"), "/console/", $name))),
            gzip: Some(include_bytes!(concat!(env!("OUT_DIR"), "/console/", $name, ".gz"))),
        }
    };
}

fn built() -> Console {
    Console {
        build: Cow::Borrowed(env!("CONSOLE_BUILD")),
        page: built!("index.html", "text/html; charset=utf-8"),
        script: built!("app.js", "text/javascript; charset=utf-8"),
        licences: built!("licences.txt", "text/plain; charset=utf-8"),
    }
}

#[cfg(not(debug_assertions))]
fn console() -> Console {
    built()
}

#[cfg(debug_assertions)]
fn console() -> Console {
    let built = built();
    match bundle::bundle(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/console"))) {
        Ok(bundle) if bundle.build != built.build => {
            let edited =
                |file: File, text: String| File { plain: Cow::Owned(text.into()), gzip: None, ..file };
            Console {
                page: edited(built.page, bundle.page),
                script: edited(built.script, bundle.script),
                licences: edited(built.licences, bundle.licences),
                build: Cow::Owned(bundle.build),
            }
        }
        // The folder is as it was, or has gone since.
        _ => built,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_comes_without_its_comments() {
        let script = String::from_utf8(Place::Script.file().plain.into_owned()).unwrap();
        for gone in ["/** @", "\n  //", "@param"] {
            assert!(!script.contains(gone), "there is a {gone:?} in the script");
        }
        for kept in ["function App(", "https://", "*/*"] {
            assert!(script.contains(kept), "there is no {kept:?} in the script");
        }
    }

    #[test]
    fn a_file_is_found_under_its_build_and_under_no_other() {
        assert_eq!(Place::find(""), Some(Place::Start));
        assert_eq!(Place::find("api"), Some(Place::Api));
        assert_eq!(Place::find(&format!("{}/app.js", console().build)), Some(Place::Script));
        for none in ["app.js", "0000000000000000/app.js", "api/app.js", "../Cargo.toml", "index.html"] {
            assert_eq!(Place::find(none), None, "{none}");
        }
    }
}
