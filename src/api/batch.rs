//! Batches: several writes in one request, done wholly or not at all.
//!
//! They are judged in phases, each for all items: form, path with method and access, rate limits, bodies.

use tokio::task::yield_now;

use super::context::RequestContext;
use super::error::ApiError;
use super::idempotency::Target;
use super::route::Route;
use super::{App, access, content, idempotency, writes};
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::http::{Request, Response, StatusCode, response};
use crate::record::draft::batch::{ItemError, ItemForm, PATH};
use crate::record::draft::earlier::Earlier;
use crate::record::draft::{self, Draft, DraftError, Patch};
use crate::record::representation::{path, write_text};
use crate::record::{RecordId, upsert};
use crate::store::write::{Batch, Item, Work, Write, Written};

/// After so many items others have their turn: a thousand take some milliseconds.
const TURN: usize = 64;

/// What the path of an item names.
struct Place<'a> {
    collection: &'a Collection,
    /// A record; none in the path of a collection.
    id: Option<RecordId>,
    /// The earlier item whose record it is.
    made_by: Option<usize>,
}

/// Does the writes of a batch; answers one result for each.
pub(super) async fn write(
    context: &mut RequestContext<'_>,
    request: &mut Request,
) -> Result<Response, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let forms = read_forms(&body).await?;
    let (places, made) = judge_paths(context, &forms).map_err(|error| context.refuse_item(error))?;
    if places.iter().all(|place| place.collection.admission() != Admission::KnownOnly) {
        context.drop_credential();
    }
    count(context, &places).await?;
    context.timing.mark("access");
    let mut items = Vec::with_capacity(forms.len());
    for (at, (form, place)) in forms.iter().zip(&places).enumerate() {
        if at % TURN == 0 {
            yield_now().await;
        }
        let item = judge_body(form, place, Earlier::new(&made[..at]));
        items.push(item.map_err(|error| error.of_item(at))?);
    }
    let target = Target { name: "_/batch", id: None, by: None };
    let token = idempotency::token(&context.caller, target, request, &body)?;
    context.timing.mark("draft");
    let shows_records = content::wants_representation(request.headers());
    let work = Work::Batch(Batch { items, shows_records });
    let Written::Batch(done) = writes::submit(context, request, work, token).await? else {
        return Ok(response::empty(StatusCode::OK));
    };
    if !context.is_replayed {
        context.app.observer.store().did_batch(done.len());
    }
    yield_now().await;
    let mut response = response::json(StatusCode::OK, results(&places, &done, shows_records));
    if shows_records {
        response.headers_mut().insert(content::PREFERENCE_APPLIED, content::RETURN_REPRESENTATION);
    }
    Ok(response)
}

async fn read_forms(body: &[u8]) -> Result<Vec<ItemForm<'_>>, ApiError> {
    let items = draft::batch::items(body)?;
    let mut forms = Vec::with_capacity(items.len());
    for (place, item) in items.into_iter().enumerate() {
        if place % TURN == 0 {
            yield_now().await;
        }
        forms.push(ItemForm::parse(place, item)?);
    }
    Ok(forms)
}

/// What each path names, and in which collection each item creates or finds a record, if it does.
fn judge_paths<'a>(
    context: &RequestContext<'a>,
    forms: &[ItemForm<'_>],
) -> Result<(Vec<Place<'a>>, Vec<Option<usize>>), ApiError> {
    let mut places = Vec::with_capacity(forms.len());
    let mut made = Vec::with_capacity(forms.len());
    for (at, form) in forms.iter().enumerate() {
        let place = judge_path(context, form, &Earlier::new(&made)).map_err(|error| error.of_item(at))?;
        made.push(place.id.is_none().then(|| place.collection.position()));
        places.push(place);
    }
    Ok((places, made))
}

fn judge_path<'a>(
    context: &RequestContext<'a>,
    form: &ItemForm<'_>,
    earlier: &Earlier<'_>,
) -> Result<Place<'a>, ApiError> {
    let place = find(context.app, &form.path, earlier)?;
    let route = match place.id {
        Some(id) => Route::Record(place.collection, id),
        None => Route::Records(place.collection),
    };
    if !route.verbs().contains(&form.verb) {
        return Err(ApiError::MethodNotAllowed(route.allow()));
    }
    access::authorize_write(context.app, &context.caller, place.collection)?;
    Ok(place)
}

fn find<'a>(app: &'a App, path: &str, earlier: &Earlier<'_>) -> Result<Place<'a>, ApiError> {
    match path.split_once("/$") {
        None => match Route::parse(&app.catalog, &app.settings, path) {
            Some(Route::Records(collection)) => Ok(Place { collection, id: None, made_by: None }),
            Some(Route::Record(collection, id)) => Ok(Place { collection, id: Some(id), made_by: None }),
            _ => Err(ApiError::NotFound),
        },
        Some((list, rest)) => {
            let Some(Route::Records(collection)) = Route::parse(&app.catalog, &app.settings, list) else {
                return Err(ApiError::NotFound);
            };
            let number = rest.strip_suffix('/').unwrap_or(rest);
            // Below a record there is nothing, whichever it is.
            if number.contains('/') {
                return Err(ApiError::NotFound);
            }
            let given = format!("${number}");
            match earlier.find(&given, collection.position()) {
                made_by @ Some(_) => Ok(Place { collection, id: Some(RecordId::FIRST), made_by }),
                None => {
                    let (member, target) = (PATH.to_owned(), collection.name().to_owned());
                    let error = DraftError::NoEarlierItem { member, given, target };
                    // Of the item, and not of its body, which may have a field of the same name.
                    Err(ApiError::ItemForm(ItemError::Members(error)))
                }
            }
        }
    }
}

/// Counts each item in the rate limit of its collection, or none of them.
async fn count(context: &mut RequestContext<'_>, places: &[Place<'_>]) -> Result<(), ApiError> {
    let mut requests: Vec<(&Collection, u64)> = Vec::new();
    let mut first_items = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let known = requests.iter_mut().find(|(known, _)| known.position() == place.collection.position());
        match known {
            Some((_, number)) => *number += 1,
            None => {
                requests.push((place.collection, 1));
                first_items.push(at);
            }
        }
    }
    let counted = context.count_each(&requests).await;
    counted.map_err(|(place, refused)| refused.of_item(first_items[place]))
}

fn judge_body(form: &ItemForm<'_>, place: &Place<'_>, mut earlier: Earlier<'_>) -> Result<Item, ApiError> {
    let Place { collection: declared, id, made_by: target } = *place;
    let (collection, body) = (declared.position(), form.body.as_bytes());
    let refused = |error| ApiError::draft(declared, error);
    let seen = content::seen(form.if_match.as_deref(), form.if_none_match.as_deref());
    let write = match (form.verb, id) {
        (Verb::Delete, Some(id)) => Write::Delete { collection, id, seen },
        (_, Some(id)) => {
            let own = target.is_none().then_some(id);
            let patch = Patch::parse_item(declared, own, body, &mut earlier).map_err(refused)?;
            Write::Update { collection, id, patch, seen }
        }
        (Verb::Put, None) => {
            let rule = upsert::rule(declared, form.by.as_deref())?;
            let patch = Patch::parse_upsert(declared, rule, body, &mut earlier).map_err(refused)?;
            Write::Upsert { collection, patch, rule, seen }
        }
        (_, None) => {
            let draft = Draft::parse_item(declared, body, &mut earlier).map_err(refused)?;
            Write::Insert { collection, draft, id: None }
        }
    };
    Ok(Item { write, references: earlier.references, target })
}

/// The body of the answer.
fn results(places: &[Place<'_>], done: &[Written], shows_records: bool) -> Vec<u8> {
    let mut body = br#"{"results":["#.to_vec();
    for (at, (place, written)) in places.iter().zip(done).enumerate() {
        if at > 0 {
            body.push(b',');
        }
        let is_new = matches!(written, Written::Created { .. });
        body.extend_from_slice(if is_new { br#"{"status":201"# } else { br#"{"status":200"# });
        if let Some((id, record)) = written.record() {
            body.extend_from_slice(br#","ressource_uri":"#);
            write_text(&mut body, &path(place.collection, id));
            if shows_records {
                body.extend_from_slice(br#","record":"#);
                body.extend_from_slice(record);
            }
        }
        body.push(b'}');
    }
    body.extend_from_slice(b"]}");
    body
}
