//! Paths: every URL we serve, and the methods that each allows.

use super::Settings;
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::console::Place;
use crate::http::{HeaderValue, Method, path};
use crate::observe::{self, Observer};
use crate::record::RecordId;
use crate::record::access_key::KeyName;
use crate::transfer::format::Format;

/// What a path names. A path with and without its last slash is the same.
#[derive(Debug, Clone)]
pub(super) enum Route<'a> {
    Root,
    SchemaIndex,
    Schema(&'a Collection),
    OpenApi,
    Live,
    Ready,
    Metrics,
    /// What the caller's own key may do.
    Me,
    Keys,
    Key(KeyName),
    KeyRotation(KeyName),
    /// Writes to any collection; with who may come in.
    Batch(Admission),
    /// The records of a collection as a file.
    Export(&'a Collection, Format),
    /// A file that becomes records of a collection.
    Import(&'a Collection),
    /// What became of such a file; with who may come in.
    ImportReport(i64, Admission),
    Console(Place),
    Records(&'a Collection),
    Record(&'a Collection, RecordId),
}

impl<'a> Route<'a> {
    /// `None` for a path that does not exist, a malformed id included.
    pub(super) fn parse(catalog: &'a Catalog, settings: &Settings, path: &str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let (first, second) = match path.split_once('/') {
            None => (path, None),
            Some((first, second)) => (first, Some(second)),
        };
        match (first, second) {
            ("", None) => Some(Self::Root),
            ("schema", None) => Some(Self::SchemaIndex),
            ("schema", Some(name)) => catalog.find(name).map(Self::Schema),
            ("openapi.json", None) => Some(Self::OpenApi),
            ("livez", None) => Some(Self::Live),
            ("readyz", None) => Some(Self::Ready),
            ("metrics", None) => settings.shows_metrics.then_some(Self::Metrics),
            // No collection is called like this.
            ("_", Some("me")) => Some(Self::Me),
            ("_", Some("keys")) => Some(Self::Keys),
            ("_", Some("batch")) => Some(Self::Batch(catalog.admission())),
            ("_", Some(rest)) if rest.starts_with("export/") => {
                let (name, format) = rest.strip_prefix("export/")?.rsplit_once('.')?;
                Some(Self::Export(catalog.find(name)?, Format::of_ending(format)?))
            }
            ("_", Some(rest)) if rest.starts_with("import/") => {
                let collection = catalog.find(rest.strip_prefix("import/")?)?;
                (settings.max_import > 0).then_some(Self::Import(collection))
            }
            ("_", Some(rest)) if rest.starts_with("imports/") => {
                let number = RecordId::parse(rest.strip_prefix("imports/")?)?;
                (settings.max_import > 0).then_some(Self::ImportReport(number.get(), catalog.admission()))
            }
            ("_", Some(rest)) => match rest.strip_prefix("keys/")?.split_once('/') {
                None => key_name(rest.strip_prefix("keys/")?).map(Self::Key),
                Some((name, "rotate")) => key_name(name).map(Self::KeyRotation),
                Some(_) => None,
            },
            ("console", path) if settings.has_console => {
                Place::find(path.unwrap_or_default()).map(Self::Console)
            }
            (name, None) => catalog.find(name).map(Self::Records),
            (name, Some(id)) => Some(Self::Record(catalog.find(name)?, RecordId::parse(id)?)),
        }
    }

    /// The collection whose records it is about.
    pub(super) fn collection(&self) -> Option<&'a Collection> {
        match self {
            Self::Records(collection)
            | Self::Record(collection, _)
            | Self::Export(collection, _)
            | Self::Import(collection) => Some(collection),
            _ => None,
        }
    }

    /// Who may come in.
    pub(super) fn admission(&self) -> Admission {
        match self {
            Self::Records(collection)
            | Self::Record(collection, _)
            | Self::Export(collection, _)
            | Self::Import(collection) => collection.admission(),
            Self::Me => Admission::Identified,
            Self::Keys | Self::Key(_) | Self::KeyRotation(_) => Admission::KnownOnly,
            Self::Batch(admission) | Self::ImportReport(_, admission) => *admission,
            _ => Admission::Open,
        }
    }

    /// Whether it is about the service itself: nobody is asked for an access key, and no query has a meaning.
    pub(super) fn is_of_service(&self) -> bool {
        !self.is_of_records() && !matches!(self, Self::Me | Self::Keys | Self::Key(_) | Self::KeyRotation(_))
    }

    /// Whether it is about records, of one collection or of several.
    pub(super) fn is_of_records(&self) -> bool {
        match self {
            Self::Records(_) | Self::Record(..) | Self::Export(..) | Self::Import(_) => true,
            _ => self.is_of_several(),
        }
    }

    /// Whether it is about records of any collection, each of which is judged on its own.
    pub(super) fn is_of_several(&self) -> bool {
        matches!(self, Self::Batch(_) | Self::ImportReport(..))
    }

    /// Whether every key is let in: what its holder may do is judged for each record, or is the answer itself.
    pub(super) fn is_for_every_key(&self) -> bool {
        self.is_of_several() || matches!(self, Self::Me)
    }

    pub(super) fn verbs(&self) -> &'a [Verb] {
        match self {
            Self::Records(collection) => collection.list_verbs(),
            Self::Record(collection, _) => collection.unique_verbs(),
            // What cannot be listed is not handed out, either.
            Self::Export(collection, _) if !collection.list_verbs().contains(&Verb::Get) => &[],
            // Nor is what cannot be created taken from a file.
            Self::Import(collection) if !collection.list_verbs().contains(&Verb::Post) => &[],
            Self::Keys => &[Verb::Get, Verb::Post],
            Self::Key(_) => &[Verb::Delete],
            Self::KeyRotation(_) | Self::Batch(_) | Self::Import(_) => &[Verb::Post],
            _ => &[Verb::Get],
        }
    }

    /// The verb that a method asks for, where it is allowed here. HEAD is judged exactly as GET.
    pub(super) fn verb(&self, method: &Method) -> Option<Verb> {
        let verb = match *method {
            Method::GET | Method::HEAD => Verb::Get,
            Method::POST => Verb::Post,
            Method::PUT => Verb::Put,
            Method::PATCH => Verb::Patch,
            Method::DELETE => Verb::Delete,
            _ => return None,
        };
        self.verbs().contains(&verb).then_some(verb)
    }

    /// The value of `Allow`: the configured verbs, HEAD with GET, and OPTIONS.
    pub(super) fn allow(&self) -> HeaderValue {
        let mut methods = Vec::new();
        for verb in self.verbs() {
            methods.push(verb.name());
            if *verb == Verb::Get {
                methods.push("HEAD");
            }
        }
        methods.push("OPTIONS");
        HeaderValue::from_str(&methods.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
    }
}

/// The name of an access key, from the one segment that it is in a path.
fn key_name(segment: &str) -> Option<KeyName> {
    let name = path::decode(segment)?;
    KeyName::parse(&name).ok()
}

/// The path templates that requests are counted under, besides those of the collections.
const TEMPLATES: [&str; 16] = [
    "/",
    "/schema/",
    "/openapi.json",
    "/livez",
    "/readyz",
    "/metrics",
    "/_/me/",
    "/_/keys/",
    "/_/keys/<name>/",
    "/_/keys/<name>/rotate/",
    "/_/batch/",
    "/_/export/<file>",
    "/_/import/<name>/",
    "/_/imports/<n>/",
    "/console/",
    "/console/<build>/<file>",
];

/// Under which path template a request is counted.
pub(super) struct Labels {
    lists: Vec<observe::Route>,
    records: Vec<observe::Route>,
    schemas: Vec<observe::Route>,
    others: [observe::Route; TEMPLATES.len()],
}

impl Labels {
    pub(super) fn new(catalog: &Catalog, observer: &Observer) -> Self {
        let of_each = |template: &dyn Fn(&str) -> String| {
            let collections = catalog.collections().iter();
            collections.map(|collection| observer.route(&template(collection.name()))).collect()
        };
        Self {
            lists: of_each(&|name| format!("/{name}/")),
            records: of_each(&|name| format!("/{name}/<id>/")),
            schemas: of_each(&|name| format!("/schema/{name}/")),
            others: TEMPLATES.map(|template| observer.route(template)),
        }
    }

    pub(super) fn of(&self, route: &Route<'_>) -> observe::Route {
        let template = match route {
            Route::Records(collection) => return self.lists[collection.position()],
            Route::Record(collection, _) => return self.records[collection.position()],
            Route::Schema(collection) => return self.schemas[collection.position()],
            Route::Root => "/",
            Route::SchemaIndex => "/schema/",
            Route::OpenApi => "/openapi.json",
            Route::Live => "/livez",
            Route::Ready => "/readyz",
            Route::Metrics => "/metrics",
            Route::Me => "/_/me/",
            Route::Keys => "/_/keys/",
            Route::Key(_) => "/_/keys/<name>/",
            Route::KeyRotation(_) => "/_/keys/<name>/rotate/",
            Route::Batch(_) => "/_/batch/",
            Route::Export(..) => "/_/export/<file>",
            Route::Import(_) => "/_/import/<name>/",
            Route::ImportReport(..) => "/_/imports/<n>/",
            Route::Console(place) if place.is_page() => "/console/",
            Route::Console(_) => "/console/<build>/<file>",
        };
        let position = TEMPLATES.iter().position(|known| *known == template);
        position.map_or_else(observe::Route::default, |position| self.others[position])
    }
}
