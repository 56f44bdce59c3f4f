//! One way through a collection: which records are read, and what becomes of each.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::record::listing::search::Matching;
use crate::record::listing::{Column, Condition, Filter};
use crate::record::value::Cell;
use crate::record::{RecordId, Value};
use crate::store::cache::set_key::{Probes, SetKey};
use crate::store::copy::CopyError;

/// How large a piece grows before it is handed on.
const PIECE: usize = 64 << 10;
/// The same for the first: whoever waits for many records begins as soon as one who waits for few.
const FIRST_PIECE: usize = 4 << 10;

/// Which records to read.
#[derive(Clone)]
pub struct Extract {
    pub catalog: Arc<Catalog>,
    /// By position.
    pub collection: usize,
    /// A record must match all of them.
    pub filters: Vec<Filter>,
    /// The positions of the references whose records are read along.
    pub followed: Vec<usize>,
}

/// A record that was read.
pub struct Row<'a> {
    pub id: RecordId,
    /// In the order of the fields.
    pub fields: &'a [Cell<'a>],
    /// What each followed reference leads to.
    pub referred: Vec<Option<(RecordId, &'a [Cell<'a>])>>,
}

/// Appends what is made of a record.
pub type Form = Box<dyn FnMut(&Row<'_>, &mut Vec<u8>) + Send>;

impl Extract {
    pub(in crate::store) fn of(&self) -> &Collection {
        self.catalog.at(self.collection)
    }

    /// The collections that the followed references lead to.
    pub(in crate::store) fn targets(&self) -> impl Iterator<Item = &Collection> {
        let fields = self.followed.iter().map(|&position| &self.of().fields()[position]);
        fields.filter_map(|field| field.reference()).map(|reference| self.catalog.at(reference.target))
    }

    /// What the database can tell of the filters.
    pub(in crate::store) fn conditions(&self) -> impl Iterator<Item = (Column, &Condition)> {
        let told = self.filters.iter().filter(|filter| !filter.condition.is_folded());
        told.map(|filter| (filter.on, &filter.condition))
    }

    /// The kinds of all columns: id and fields of the record, then of each that it refers to.
    pub(in crate::store) fn kinds(&self) -> Vec<FieldKind> {
        let collections = std::iter::once(self.of()).chain(self.targets());
        let columns = collections.flat_map(|collection| {
            let fields = collection.fields().iter().map(|field| field.kind());
            std::iter::once(FieldKind::OF_IDS).chain(fields)
        });
        columns.collect()
    }

    fn has_search(&self) -> bool {
        self.filters.iter().any(is_search)
    }

    fn row<'a>(&self, mut cells: &'a [Cell<'a>]) -> Option<Row<'a>> {
        let (id, fields) = record(&mut cells, self.of())?;
        let mut referred = Vec::with_capacity(self.followed.len());
        for target in self.targets() {
            let (id, fields) = record(&mut cells, target)?;
            referred.push(id.map(|id| (id, fields)));
        }
        Some(Row { id: id?, fields, referred })
    }
}

fn is_search(filter: &Filter) -> bool {
    matches!(filter.condition, Condition::Search(_))
}

/// Takes a record off: its id, where there is one, and its fields.
fn record<'a>(
    cells: &mut &'a [Cell<'a>],
    collection: &Collection,
) -> Option<(Option<RecordId>, &'a [Cell<'a>])> {
    let (id, rest) = cells.split_first()?;
    let (fields, rest) = rest.split_at_checked(collection.fields().len())?;
    *cells = rest;
    Some((id.to_value().id().and_then(RecordId::new), fields))
}

/// A way through the records, which goes along with whatever reads them.
pub(in crate::store) struct Pass {
    pub(in crate::store) extract: Extract,
    /// What only this process can tell of the filters, and the fields that it looks at.
    judge: Option<(SetKey, Vec<usize>)>,
    /// `None` where one record is enough.
    form: Option<Form>,
    piece: Vec<u8>,
    onward: mpsc::Sender<(u64, Bytes)>,
    /// How many of the piece's records were told of.
    told: u64,
    pub(in crate::store) records: u64,
}

impl Pass {
    /// `head` comes before the first record.
    pub(super) fn new(
        extract: Extract,
        form: Form,
        head: Vec<u8>,
        onward: mpsc::Sender<(u64, Bytes)>,
    ) -> Self {
        let judge = judge(&extract);
        Self { extract, judge, form: Some(form), piece: head, onward, told: 0, records: 0 }
    }

    /// Whether nothing was found by a search, so that typos may have to be forgiven.
    pub(super) fn found_nothing(&self) -> bool {
        self.records == 0 && self.extract.has_search()
    }

    /// Whether the search by itself finds anything.
    pub(super) fn probe(&self) -> Self {
        let mut extract = self.extract.clone();
        extract.filters.retain(is_search);
        extract.followed.clear();
        let (judge, onward) = (judge(&extract), self.onward.clone());
        Self { extract, judge, form: None, piece: Vec::new(), onward, told: 0, records: 0 }
    }

    /// Forgives a typo in each word.
    pub(super) fn forgive(&mut self) {
        for filter in &mut self.extract.filters {
            if let Condition::Search(search) = &mut filter.condition {
                search.matching = Matching::Typo;
            }
        }
        self.judge = judge(&self.extract);
    }

    /// Takes a row of all columns; says whether to go on. Its values must be those that the engine was told to read.
    pub(in crate::store) fn take(&mut self, cells: &[Cell<'_>]) -> Result<bool, String> {
        let row = self.extract.row(cells).ok_or("a row has another form than was asked for")?;
        if !self.judge.as_ref().is_none_or(|judge| matches(self.extract.of(), judge, &row)) {
            return Ok(true);
        }
        self.records += 1;
        let Some(form) = &mut self.form else { return Ok(false) };
        form(&row, &mut self.piece);
        Ok(true)
    }

    /// What was made so far, once it is worth a move.
    fn full(&mut self) -> Option<(u64, Bytes)> {
        let worth = if self.told == 0 { FIRST_PIECE } else { PIECE };
        (self.piece.len() >= worth).then(|| self.cut())
    }

    fn cut(&mut self) -> (u64, Bytes) {
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE + PIECE / 4));
        (self.records - std::mem::replace(&mut self.told, self.records), piece.into())
    }

    /// Hands on what is worth it, from a thread that may wait.
    pub(in crate::store) fn put(&mut self) -> Result<(), CopyError> {
        match self.full() {
            Some(piece) => self.onward.blocking_send(piece).map_err(|_| CopyError::Stopped),
            None => Ok(()),
        }
    }

    /// Hands on what is worth it, from a task.
    pub(in crate::store) async fn send(&mut self) -> Result<(), CopyError> {
        match self.full() {
            Some(piece) => self.onward.send(piece).await.map_err(|_| CopyError::Stopped),
            None => Ok(()),
        }
    }

    /// Hands on the rest.
    pub(super) async fn finish(mut self) -> Result<u64, CopyError> {
        let rest = self.cut();
        self.onward.send(rest).await.map_err(|_| CopyError::Stopped)?;
        Ok(self.records)
    }
}

fn judge(extract: &Extract) -> Option<(SetKey, Vec<usize>)> {
    let mut folded = extract.filters.iter().filter(|filter| filter.condition.is_folded()).peekable();
    folded.peek()?;
    let key = SetKey::of(extract.of(), folded)?;
    let positions = key.positions(extract.of()).collect();
    Some((key, positions))
}

fn matches(collection: &Collection, (key, positions): &(SetKey, Vec<usize>), row: &Row<'_>) -> bool {
    let mut values = vec![Value::Null; row.fields.len()];
    for &position in positions {
        values[position] = row.fields[position].to_value();
    }
    key.holds(collection, &Probes::new(row.id, &values))
}
