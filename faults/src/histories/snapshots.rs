//! Lists of all counters: each is of one moment, any two of moments of which one came first, and moments follow real
//! time.

#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) sent: u64,
    pub(super) answered: u64,
    /// How far each counter was, in the order of their ids.
    pub(super) seqs: Vec<i64>,
}

impl Snapshot {
    fn sum(&self) -> i64 {
        self.seqs.iter().sum()
    }
}

/// Everything that cannot have been.
pub(super) fn check(snapshots: &[Snapshot]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut ordered: Vec<&Snapshot> = snapshots.iter().collect();
    // Counters only rise: of two moments the later one has the larger sum.
    ordered.sort_by_key(|snapshot| snapshot.sum());
    for pair in ordered.windows(2) {
        let [one, other] = pair else { continue };
        let is_first = one.seqs.len() == other.seqs.len()
            && one.seqs.iter().zip(&other.seqs).all(|(one, other)| one <= other);
        if !is_first {
            faults.push(format!("NEITHER CAME FIRST: {:?} and {:?}", one.seqs, other.seqs));
        }
    }
    let mut by_sent: Vec<&Snapshot> = snapshots.iter().collect();
    by_sent.sort_by_key(|snapshot| snapshot.sent);
    let mut by_end: Vec<&Snapshot> = snapshots.iter().collect();
    by_end.sort_by_key(|snapshot| snapshot.answered);
    let mut ended = by_end.into_iter().peekable();
    let mut furthest: Option<&Snapshot> = None;
    for snapshot in by_sent {
        while let Some(over) = ended.next_if(|over| over.answered < snapshot.sent) {
            if furthest.is_none_or(|furthest| over.sum() > furthest.sum()) {
                furthest = Some(over);
            }
        }
        if let Some(over) = furthest.filter(|over| over.sum() > snapshot.sum()) {
            faults.push(format!(
                "BACK IN TIME: {:?} was over before {:?} was asked for",
                over.seqs, snapshot.seqs
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lists: &[(u64, u64, &[i64])]) -> String {
        let lists = lists.iter().map(|(sent, answered, seqs)| Snapshot {
            sent: *sent,
            answered: *answered,
            seqs: seqs.to_vec(),
        });
        check(&lists.collect::<Vec<_>>()).join("\n")
    }

    #[test]
    fn moments_in_order_are_let_through() {
        assert_eq!(seen(&[(0, 9, &[1, 2]), (1, 8, &[1, 1]), (10, 11, &[1, 2]), (12, 13, &[3, 2])]), "");
    }

    #[test]
    fn lists_of_no_moment_and_of_the_past_are_seen() {
        assert!(seen(&[(0, 9, &[1, 2]), (1, 8, &[2, 1])]).starts_with("NEITHER"));
        assert!(seen(&[(0, 9, &[2, 2]), (10, 11, &[2, 1])]).starts_with("BACK"));
    }
}
