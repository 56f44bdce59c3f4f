//! What is said of a file that a running server has.

use dev::configs;

use crate::support::home::Home;

#[test]
fn an_import_into_the_file_of_a_running_server_says_how_to_send_it_there() {
    for (listen, url) in
        [("127.0.0.1:8080", "http://127.0.0.1:8080"), ("0.0.0.0:9000", "http://127.0.0.1:9000")]
    {
        let home = Home::new(&configs::with_server(&format!("listen = \"{listen}\"")));
        std::fs::write(home.path("a.csv"), "first_name,last_name\nAda,Lovelace\n").unwrap();
        let server = home.serve();
        let words = format!(
            " is in use by a running carnet server; send the file to it: carnet import … --server {url}\n"
        );
        home.run(&["import", "a.csv", "--into", "users"]).exits(1).says(&[&words]);
        server.stop();
    }
}
