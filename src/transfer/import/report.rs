//! What an import came to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Fault, Faults, Options, Remedy};

/// How many entries a dry run shows.
pub(super) const FIRST: usize = 3;

#[derive(Debug, Default)]
pub struct Report {
    pub read: u64,
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    /// How many records were created that others refer to, by collection.
    pub related: BTreeMap<String, u64>,
    /// What was left out because somebody said so, and how often.
    pub ignored: BTreeMap<String, u64>,
    /// Whether entries were stored, all but those with faults.
    pub was_stored: bool,
    /// In the order of their lines.
    pub faults: Faults,
    /// Which column is for which field.
    pub mapping: Vec<(String, String)>,
    /// The first entries as the records that they would become.
    pub first: Vec<String>,
    pub(super) not_taken: BTreeMap<String, u64>,
}

impl Report {
    /// Judges what was not taken, and brings the faults into order.
    pub(super) fn settle(&mut self, options: &Options) {
        let (mut said, mut unsaid) = (BTreeMap::new(), BTreeMap::new());
        for (name, number) in std::mem::take(&mut self.not_taken) {
            let ignored = options.ignore_rest || options.ignores(&name);
            if ignored { &mut said } else { &mut unsaid }.insert(name, number);
        }
        self.ignored.extend(said);
        if !unsaid.is_empty() {
            let listed: Vec<String> =
                unsaid.iter().map(|(name, number)| format!("{name} ({number})")).collect();
            let remedy = Remedy::Properties(unsaid.into_keys().collect());
            self.faults.push(Fault::new(0, format!("not taken: {}", listed.join(", "))).with(remedy));
        }
        self.sort_faults();
    }

    pub(super) fn sort_faults(&mut self) {
        self.faults.kept.sort_by_key(|fault| fault.line);
    }

    pub(super) fn foresee_new(&mut self) {
        self.created += 1;
    }

    pub(super) fn foresee_existing(&mut self, changes: bool) {
        *if changes { &mut self.updated } else { &mut self.unchanged } += 1;
    }

    /// From here on what was done is counted, not what will be.
    pub(super) fn begin_storing(&mut self) {
        (self.created, self.updated, self.unchanged) = (0, 0, 0);
        self.was_stored = true;
    }

    fn remedies(&self) -> impl Iterator<Item = &Remedy> {
        self.faults.kept.iter().filter_map(|fault| fault.remedy.as_ref())
    }

    /// The columns and properties that are for no field, and that nobody has left out.
    pub fn not_taken(&self) -> Vec<&str> {
        let names = self.remedies().flat_map(|remedy| match remedy {
            Remedy::Column(name) => std::slice::from_ref(name),
            Remedy::Properties(names) => names,
            _ => &[],
        });
        names.map(String::as_str).collect()
    }

    /// The fields that could be given a value where the file has none.
    pub fn unfilled(&self) -> BTreeSet<&str> {
        let fields = self.remedies().filter_map(|remedy| match remedy {
            Remedy::Fill(field) => Some(field.as_str()),
            _ => None,
        });
        fields.collect()
    }

    /// Whether somebody must say whose the ids in the file are.
    pub fn asks_for_ids(&self) -> bool {
        self.remedies().any(|remedy| *remedy == Remedy::Ids)
    }

    /// In one line.
    pub fn summary(&self) -> String {
        let Self { read, created, updated, unchanged, .. } = self;
        let mut text = format!("read {read}: created {created}, updated {updated}, unchanged {unchanged}");
        for (name, number) in &self.related {
            let _ = write!(text, "; {name}: created {number}");
        }
        if !self.ignored.is_empty() {
            let ignored: Vec<String> =
                self.ignored.iter().map(|(name, number)| format!("{name} {number}")).collect();
            let _ = write!(text, "; ignored {}", ignored.join(", "));
        }
        text
    }
}
