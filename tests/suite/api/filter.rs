//! Filters: equality on any declared field and on `id` (4.2).

use dev::configs;

use crate::support::server::Server;

fn book() -> Server {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create("/address/", r#"{"country":"Italia","city":"Roma","street":"","number":-5}"#);
    for body in [
        r#"{"first_name":"John","last_name":"Doe","address":1}"#,
        r#"{"first_name":"Jane","last_name":"Doe"}"#,
        r#"{"first_name":"John","last_name":"Roe","address":2}"#,
        r#"{"first_name":"","last_name":"doe","address":1}"#,
        r#"{"first_name":"Zoë & Co","last_name":"100%+1 = é"}"#,
    ] {
        server.create("/users/", body);
    }
    server
}

#[test]
fn a_filter_keeps_the_records_whose_field_equals_the_value_and_is_echoed() {
    let server = book();
    server.check(
        "GET /users/?last_name=Doe&first_name=Jane",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":1,"next":"null","previous":"null","filters":{"last_name":"Doe","first_name":"Jane"}},"object_list":[{"first_name":"Jane","last_name":"Doe","address":null,"id":2,"ressource_uri":"/users/2/"}]}"#,
    );
    assert_eq!(server.ids("/users/?last_name=Doe"), [1, 2]);
    assert_eq!(server.ids("/users/?last_name=Nobody"), Vec::<i64>::new());
}

#[test]
fn a_filter_by_reference_is_echoed_as_the_text_of_the_number() {
    let server = book();
    server.check(
        "GET /users/?address=2",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":1,"next":"null","previous":"null","filters":{"address":"2"}},"object_list":[{"first_name":"John","last_name":"Roe","address":2,"id":3,"ressource_uri":"/users/3/"}]}"#,
    );
    assert_eq!(server.ids("/users/?address=1&first_name=John"), [1]);
    assert_eq!(server.ids("/users/?address=99"), Vec::<i64>::new());
}

#[test]
fn strings_are_compared_byte_for_byte() {
    let server = book();
    assert_eq!(server.ids("/users/?last_name=doe"), [4]);
    assert_eq!(server.ids("/users/?last_name=Do"), Vec::<i64>::new());
    assert_eq!(server.ids("/users/?last_name=%25"), Vec::<i64>::new());
    assert_eq!(server.ids("/users/?first_name=Zoe%CC%88+%26+Co"), Vec::<i64>::new());
    assert_eq!(server.ids("/address/?country=France%20"), Vec::<i64>::new());
}

#[test]
fn a_query_string_is_form_encoded() {
    let server = book();
    assert_eq!(server.ids("/users/?first_name=Zo%C3%AB+%26%20Co"), [5]);
    assert_eq!(server.ids("/users/?last_name=100%25%2B1+%3D+%c3%a9"), [5]);
    assert_eq!(server.ids("/users/?la%73t_name=Roe"), [3]);
    let body = server.ask("GET /users/?first_name=Zo%C3%AB+%26%20Co").json();
    assert_eq!(body["meta"]["filters"].to_string(), r#"{"first_name":"Zoë & Co"}"#);
}

#[test]
fn a_filter_on_id_works_also_where_id_is_not_shown() {
    let server = book();
    assert_eq!(server.ids("/users/?id=3"), [3]);
    assert_eq!(server.ids("/address/?id=2"), [2]);
    assert_eq!(server.ids("/address/?id=2&country=France"), Vec::<i64>::new());
    assert_eq!(server.ids("/users/?id=-1"), Vec::<i64>::new());
    server.faults("GET /users/?id=abc", "id does not validate");
}

#[test]
fn an_empty_value_matches_records_without_a_value() {
    let server = book();
    server.check(
        "GET /users/?address=&last_name=Doe",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":1,"next":"null","previous":"null","filters":{"address":"","last_name":"Doe"}},"object_list":[{"first_name":"Jane","last_name":"Doe","address":null,"id":2,"ressource_uri":"/users/2/"}]}"#,
    );
    assert_eq!(server.ids("/users/?address="), [2, 5]);
    assert_eq!(server.ids("/users/?address"), [2, 5]);
}

#[test]
fn an_empty_value_on_a_required_field_matches_nothing_but_the_empty_string() {
    let server = book();
    assert_eq!(server.ids("/address/?number="), Vec::<i64>::new());
    assert_eq!(server.ids("/users/?id="), Vec::<i64>::new());
    assert_eq!(server.ids("/users/?first_name="), [4]);
    assert_eq!(server.ids("/address/?street="), [2]);
    assert_eq!(server.ids("/address/?country="), Vec::<i64>::new());
}

#[test]
fn an_integer_filter_takes_json_integers_only() {
    let server = book();
    assert_eq!(server.ids("/address/?number=5"), [1]);
    assert_eq!(server.ids("/address/?number=-5"), [2]);
    assert_eq!(server.ids("/address/?number=0"), Vec::<i64>::new());
    assert_eq!(server.ids("/address/?number=9223372036854775807"), Vec::<i64>::new());
    assert_eq!(server.ids("/address/?number=-9223372036854775808"), Vec::<i64>::new());
    for value in
        ["abc", "05", "%2B5", "+5", "5.0", "5e0", "--5", "0x5", "true", "null", "5%20", "9223372036854775808"]
    {
        server.faults(&format!("GET /address/?number={value}"), "number does not validate");
    }
    server.faults("GET /users/?address=one", "address does not validate");
}

#[test]
fn a_field_given_twice_as_a_filter_is_refused() {
    let server = book();
    server.faults("GET /users/?last_name=Doe&last_name=Roe", "last_name is given twice");
    server.faults("GET /users/?last_name=Doe&offset=0&last_name=Doe", "last_name is given twice");
    server.faults("GET /users/?id=1&id=1", "id is given twice");
}

#[test]
fn an_unknown_query_parameter_on_a_list_is_refused() {
    let server = book();
    server.faults("GET /users/?lastname=Doe", "lastname is not a field of users");
    server.faults("GET /address/?first_name=John", "first_name is not a field of address");
    server.faults("GET /users/?ressource_uri=/users/1/", "ressource_uri is not a field of users");
    server.faults("GET /users/?Last_name=Doe", "Last_name is not a field of users");
    server.faults("GET /users/?last_name__eq=Doe", "last_name__eq is not a field of users");
}

#[test]
fn an_unknown_query_parameter_elsewhere_is_ignored() {
    let server = book();
    assert_eq!(server.status("GET /users/1/?lastname=Doe&offset=abc"), 200);
    assert_eq!(server.status("GET /schema/?x=1"), 200);
    assert_eq!(server.status(r#"PUT /users/1/?x=1 {"first_name":"Jim"}"#), 200);
    assert_eq!(server.status(r#"POST /users/?x=1 {"first_name":"a","last_name":"b"}"#), 201);
    assert_eq!(server.status("DELETE /users/1/?x=1"), 200);
}

#[test]
fn faults_in_a_query_are_reported_in_the_order_of_the_query_string() {
    let server = book();
    server.faults("GET /users/?nope=1&offset=-1&address=x", "nope is not a field of users");
    server.faults("GET /users/?offset=-1&nope=1", "offset does not validate");
    server.faults("GET /users/?address=x&offset=-1", "address does not validate");
    server.faults("GET /users/?last_name=a&last_name=b&nope=1", "last_name is given twice");
    server.faults("GET /users/?nope=1&last_name=a&last_name=b", "nope is not a field of users");
}

#[test]
fn a_query_that_is_not_utf_8_is_refused() {
    let server = book();
    server.refuses("GET /users/?last_name=%FF", 400);
    server.refuses("GET /users/?%FF=1", 400);
    server.refuses("GET /users/?last_name=%C3", 400);
}
