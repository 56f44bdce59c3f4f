//! The floor: hyper with nothing behind it, answering every request with the same body, and on request with the
//! same header fields.

use std::convert::Infallible;
use std::future::Future;
use std::path::Path;

use anyhow::Context;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Answers with the bytes of a file, read once, and with the header fields of another, each a line of it.
pub(crate) fn serve_answer(body: &Path, head: &Path) -> anyhow::Result<()> {
    let body = Bytes::from(std::fs::read(body)?);
    let mut headers = HeaderMap::new();
    for line in std::fs::read_to_string(head)?.lines() {
        let (name, value) = line.split_once(':').context("a header field without a colon")?;
        headers.append(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value.trim())?);
    }
    serve(move |_request| {
        let mut response = Response::new(Full::new(body.clone()));
        // To copy a map that is made already is the cheapest way to one.
        *response.headers_mut() = headers.clone();
        std::future::ready(response)
    })
}

/// Answers with the bytes of a file, read once.
pub(crate) fn serve_file(body: &Path) -> anyhow::Result<()> {
    let body = Bytes::from(std::fs::read(body)?);
    serve(move |_request| {
        let mut response = Response::new(Full::new(body.clone()));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        std::future::ready(response)
    })
}

/// Serves on a free port of the loopback, named on the first line of standard output, until killed.
pub(crate) fn serve<Handler, Answering>(handler: Handler) -> anyhow::Result<()>
where
    Handler: Fn(Request<Incoming>) -> Answering + Clone + Send + Sync + 'static,
    Answering: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("listening on http://{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let handler = handler.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let answering = handler(request);
                    async { Ok::<_, Infallible>(answering.await) }
                });
                // A client that goes away is no failure.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}
