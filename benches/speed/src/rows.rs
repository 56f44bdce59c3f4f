//! The rows of a filled database: the same for every server, computed from the id, so that nothing but the
//! number of users has to be remembered.

use dev::dice::Dice;

/// One in ten.
pub(crate) const COMMON_LAST_NAME: &str = "Martin";
/// One in five.
pub(crate) const COMMON_FIRST_NAME: &str = "Anna";
/// One id in so many is a hole.
const HOLES: u64 = 10;
/// So many users on average share a rare last name.
const RARE_MATCHES: u64 = 8;
/// Numbers are spelled with these: ascending, so that names sort as their numbers do, and without the `m` of the common
/// last name.
pub(crate) const LETTERS: [char; 10] = ['a', 'e', 'i', 'l', 'n', 'o', 'p', 's', 't', 'u'];
/// Letters of a rare last name.
pub(crate) const RARE_LETTERS: usize = 7;
/// So many users on average share an address.
const PER_ADDRESS: u64 = 10;

/// A set of rows, named by the number of users.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Book {
    pub(crate) users: u64,
    /// The greatest id of a user.
    pub(crate) last_id: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) id: u64,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) address: Option<u64>,
}

impl Book {
    pub(crate) fn new(users: u64) -> Self {
        let last_id = (1..).filter(|&id| is_live(id)).nth(users as usize - 1).unwrap_or(users);
        Book { users, last_id }
    }

    pub(crate) fn ids(self) -> impl Iterator<Item = u64> {
        (1..=self.last_id).filter(|&id| is_live(id))
    }

    pub(crate) fn addresses(self) -> u64 {
        self.users / PER_ADDRESS
    }

    /// How many rare last names there are.
    pub(crate) fn rare_names(self) -> u64 {
        self.users / RARE_MATCHES
    }

    /// How far they lie apart: any three letters begin some of them, as among real names.
    pub(crate) fn rare_step(self) -> u64 {
        10_u64.pow(RARE_LETTERS as u32) / self.rare_names()
    }

    pub(crate) fn user(self, id: u64) -> User {
        let dice = |purpose: u64| mix(id ^ mix(purpose));
        let first_name = match dice(1) {
            roll if roll % 5 == 0 => COMMON_FIRST_NAME.to_owned(),
            roll => format!("Given{:03}", roll / 5 % 1_000),
        };
        let last_name = match dice(2) {
            roll if roll % 10 == 0 => COMMON_LAST_NAME.to_owned(),
            roll => spelled(roll / 10 % self.rare_names() * self.rare_step(), RARE_LETTERS),
        };
        let address = match dice(3) {
            roll if roll % 16 == 0 => None,
            roll => Some(roll / 16 % self.addresses() + 1),
        };
        User { id, first_name, last_name, address }
    }

    /// Users drawn from the whole range, each at most once, the same ones every time.
    pub(crate) fn sample(self, wanted: usize) -> Vec<User> {
        if self.users <= wanted as u64 {
            return self.ids().map(|id| self.user(id)).collect();
        }
        let mut dice = Dice::new(self.users);
        let mut drawn = std::collections::BTreeSet::new();
        while drawn.len() < wanted {
            let id = dice.below(self.last_id as usize) as u64 + 1;
            if is_live(id) {
                drawn.insert(id);
            }
        }
        drawn.into_iter().map(|id| self.user(id)).collect()
    }
}

/// A name of so many letters for a number.
pub(crate) fn spelled(number: u64, letters: usize) -> String {
    let digits = format!("{number:0letters$}");
    let letters = digits.bytes().map(|digit| LETTERS[usize::from(digit - b'0')]);
    letters
        .enumerate()
        .map(|(at, letter)| if at == 0 { letter.to_ascii_uppercase() } else { letter })
        .collect()
}

fn is_live(id: u64) -> bool {
    !mix(id).is_multiple_of(HOLES)
}

/// `splitmix64`: every bit of the outcome depends on every bit of the input.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_has_the_users_holes_and_matches_it_promises() {
        let book = Book::new(100_000);
        let users: Vec<User> = book.ids().map(|id| book.user(id)).collect();
        let share = |matches: &dyn Fn(&User) -> bool| users.iter().filter(|user| matches(user)).count();
        assert_eq!(users.len(), 100_000);
        assert!((110_000..112_500).contains(&book.last_id));
        assert!((9_500..10_500).contains(&share(&|user| user.last_name == COMMON_LAST_NAME)));
        assert!((19_500..20_500).contains(&share(&|user| user.first_name == COMMON_FIRST_NAME)));
        let beginnings = users.iter().map(|user| &user.last_name[..3]);
        assert_eq!(beginnings.collect::<std::collections::BTreeSet<_>>().len(), 1_001);
        assert!(users.iter().all(|user| user.address.is_none_or(|id| (1..=book.addresses()).contains(&id))));
    }

    #[test]
    fn a_sample_holds_each_user_once() {
        let book = Book::new(1_000);
        assert_eq!(book.sample(10_000).len(), 1_000);
        let mut ids: Vec<u64> = book.sample(500).into_iter().map(|user| user.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 500);
    }
}
