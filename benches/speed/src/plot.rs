//! The plot of cost against the number of records: both axes logarithmic, since the costs lie four orders of
//! magnitude apart.

use std::fmt::Write;

use crate::process::Who;
use crate::reads::{DEEP, FETCH, FIRST, MANY};
use crate::report::users;
use crate::results::{Measure, Results};

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 260.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Server, colour.
const SERVERS: [(Who, &str); 2] = [(Who::Carnet, "#0b6e4f"), (Who::PocketBase, "#b5442e")];
/// Line, dashes.
const LINES: [(&str, &str); 4] = [(FETCH, "none"), (FIRST, "8 3"), (DEEP, "2 3"), (MANY, "10 3 2 3")];

/// None when nothing was measured that could be drawn.
pub(crate) fn svg(results: &Results) -> Option<String> {
    let mut curves = Vec::new();
    for (who, colour) in SERVERS {
        for (line, dashes) in LINES {
            let sizes = results.sizes(line).into_iter();
            let points: Vec<(f64, f64)> = sizes
                .filter_map(|size| {
                    Some((size as f64, results.spread((line, size, who), Measure::Cpu)?.median))
                })
                .collect();
            if !points.is_empty() {
                curves.push((format!("{}: {line}", who.name()), colour, dashes, points));
            }
        }
    }
    let all = || curves.iter().flat_map(|curve| &curve.3);
    let ends = |values: &dyn Fn() -> Vec<f64>| {
        let values = values();
        let least = values.iter().copied().reduce(f64::min)?;
        let greatest = values.iter().copied().reduce(f64::max)?;
        Some((least.log10().floor(), greatest.log10().ceil().max(least.log10().floor() + 1.0)))
    };
    let (first_x, last_x) = ends(&|| all().map(|point| point.0).collect())?;
    let (first_y, last_y) = ends(&|| all().map(|point| point.1).collect())?;
    let x = |value: f64| LEFT + (value.log10() - first_x) / (last_x - first_x) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| {
        HEIGHT - BOTTOM - (value.log10() - first_y) / (last_y - first_y) * (HEIGHT - TOP - BOTTOM)
    };

    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>CPU time per request against the number of records</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">CPU time of the server per request, by number of users</text>\n"
    );
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for power in first_y as i32..=last_y as i32 {
        let value = 10_f64.powi(power);
        let at = y(value);
        let label = if value >= 1_000.0 { format!("{} ms", value / 1_000.0) } else { format!("{value} µs") };
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    for power in first_x as i32..=last_x as i32 {
        let value = 10_f64.powi(power);
        let at = x(value);
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#eee\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 20.0,
            users(value as u64)
        );
    }
    for (position, (name, colour, dashes, points)) in curves.iter().enumerate() {
        let path: Vec<String> =
            points.iter().map(|point| format!("{:.1} {:.1}", x(point.0), y(point.1))).collect();
        let _ = writeln!(
            text,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>",
            path.join("L")
        );
        for point in points {
            let _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x(point.0),
                y(point.1)
            );
        }
        let (start, at) = (right + 14.0, TOP + 10.0 + 20.0 * position as f64);
        let _ = writeln!(
            text,
            "<path d=\"M{start} {at}h28\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{}\" y=\"{}\">{name}</text>",
            start + 34.0,
            at + 4.0
        );
    }
    text.push_str("</svg>\n");
    Some(text)
}
