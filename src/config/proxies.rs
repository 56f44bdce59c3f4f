//! The proxies whose word is taken: `trusted_proxies`.

use super::Config;
use super::effective::{Lines, list};
use super::problem::Problem;
use super::tree::{Reader, Table};
use ipnet::IpNet;
use std::net::IpAddr;

pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    for text in reader.strings(table, "trusted_proxies").unwrap_or_default() {
        let address = text.get_ref().parse::<IpAddr>().map(IpNet::from);
        // `10.1.2.3/8` means the network that it is in.
        let network = address.or_else(|_| text.get_ref().parse::<IpNet>().map(|network| network.trunc()));
        let network = network.map_err(|_| {
            let message = format!("`{}` is not a network or an address", text.get_ref());
            let remedy = "write `10.0.0.0/8` for a network, `192.168.0.7` or `::1` for one proxy";
            Problem::at(text.span(), message, remedy)
        });
        config.http.trusted_proxies.extend(reader.note(network));
    }
}

pub(super) fn write(config: &Config, lines: &mut Lines) {
    let proxies: Vec<String> = config.http.trusted_proxies.iter().map(ToString::to_string).collect();
    lines.push(("trusted_proxies", list(proxies.iter().map(String::as_str))));
}
