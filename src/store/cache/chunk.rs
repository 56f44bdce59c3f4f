//! Up to 65,536 neighbouring ids: a sorted array where they are few, else bits with running sums.

/// Ids in one chunk.
pub(super) const CHUNK: usize = 1 << 16;
const WORDS: usize = CHUNK / 64;
/// Words that share a running sum.
const STRIDE: usize = 8;
const SUMS: usize = WORDS / STRIDE;
/// An array of more ids than this takes more room than bits do.
const LONGEST_ARRAY: usize = 4_096;

#[derive(Debug, Clone)]
pub(super) enum Chunk {
    Array(Vec<u16>),
    Bits(Box<Bits>),
}

#[derive(Debug, Clone)]
pub(super) struct Bits {
    words: [u64; WORDS],
    /// How many bits are set before each stride of words. At most 65,535 before the last.
    before: [u16; SUMS],
    len: u32,
}

/// Ids of a chunk in any order, and more than once.
pub(super) enum ChunkBuilder {
    Few(Vec<u16>),
    Many(Box<Bits>),
}

impl Default for ChunkBuilder {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl ChunkBuilder {
    pub(super) fn push(&mut self, low: u16) {
        match self {
            Self::Few(array) if array.len() == LONGEST_ARRAY => {
                let mut bits = Bits::of(array);
                bits.mark(low);
                *self = Self::Many(bits);
            }
            Self::Few(array) => array.push(low),
            Self::Many(bits) => bits.mark(low),
        }
    }

    pub(super) fn finish(self) -> Chunk {
        match self {
            Self::Few(mut array) => {
                array.sort_unstable();
                array.dedup();
                Chunk::Array(array)
            }
            Self::Many(mut bits) => {
                bits.sum_up();
                Chunk::Bits(bits)
            }
        }
    }
}

impl Chunk {
    /// About how much memory it takes, besides its place in the set.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Chunk::Array(array) => array.capacity() * 2,
            Chunk::Bits(_) => size_of::<Bits>(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Chunk::Array(array) => array.len(),
            Chunk::Bits(bits) => bits.len as usize,
        }
    }

    pub(super) fn contains(&self, low: u16) -> bool {
        match self {
            Chunk::Array(array) => array.binary_search(&low).is_ok(),
            Chunk::Bits(bits) => bits.words[usize::from(low) / 64] >> (low % 64) & 1 == 1,
        }
    }

    /// How many ids are smaller.
    pub(super) fn rank(&self, low: u16) -> usize {
        match self {
            Chunk::Array(array) => array.partition_point(|id| *id < low),
            Chunk::Bits(bits) => bits.rank(low),
        }
    }

    pub(super) fn insert(&mut self, low: u16) -> bool {
        match self {
            Chunk::Array(array) => {
                match array.last() {
                    Some(last) if *last >= low => match array.binary_search(&low) {
                        Ok(_) => return false,
                        Err(place) => array.insert(place, low),
                    },
                    _ => array.push(low),
                }
                if array.len() > LONGEST_ARRAY {
                    *self = Chunk::Bits(Bits::of(array));
                }
                true
            }
            Chunk::Bits(bits) => bits.set(low),
        }
    }

    pub(super) fn remove(&mut self, low: u16) -> bool {
        match self {
            Chunk::Array(array) => match array.binary_search(&low) {
                Ok(place) => {
                    array.remove(place);
                    true
                }
                Err(_) => false,
            },
            Chunk::Bits(bits) => {
                let was_there = bits.clear(low);
                // Well below the size at which it became bits, so that it does not flip to and fro.
                if (bits.len as usize) < LONGEST_ARRAY / 2 {
                    let mut array = Vec::with_capacity(bits.len as usize);
                    bits.page(0, CHUNK, |low| array.push(low));
                    *self = Chunk::Array(array);
                }
                was_there
            }
        }
    }

    /// Calls `take` with the ids after the first `skip`, at most `count` of them.
    pub(super) fn page(&self, skip: usize, count: usize, mut take: impl FnMut(u16)) {
        match self {
            Chunk::Array(array) => array.iter().skip(skip).take(count).for_each(|low| take(*low)),
            Chunk::Bits(bits) => bits.page(skip, count, take),
        }
    }

    pub(super) fn intersection(&self, other: &Chunk) -> Chunk {
        match (self, other) {
            (Chunk::Array(array), chunk) | (chunk, Chunk::Array(array)) => {
                Chunk::Array(array.iter().copied().filter(|low| chunk.contains(*low)).collect())
            }
            (Chunk::Bits(one), Chunk::Bits(other)) => {
                let mut both = Bits::empty();
                for (word, (one, other)) in both.words.iter_mut().zip(one.words.iter().zip(&other.words)) {
                    *word = one & other;
                }
                both.sum_up();
                Chunk::Bits(both)
            }
        }
    }

    /// The ids that are not in the other.
    pub(super) fn difference(&self, other: &Chunk) -> Chunk {
        let mut rest = Vec::with_capacity(self.len());
        self.page(0, CHUNK, |low| {
            if !other.contains(low) {
                rest.push(low);
            }
        });
        if rest.len() > LONGEST_ARRAY { Chunk::Bits(Bits::of(&rest)) } else { Chunk::Array(rest) }
    }
}

impl Bits {
    fn empty() -> Box<Self> {
        Box::new(Self { words: [0; WORDS], before: [0; SUMS], len: 0 })
    }

    fn of(array: &[u16]) -> Box<Self> {
        let mut bits = Self::empty();
        array.iter().for_each(|low| bits.mark(*low));
        bits.sum_up();
        bits
    }

    /// Sets a bit without the sums.
    fn mark(&mut self, low: u16) {
        self.words[usize::from(low) / 64] |= 1 << (low % 64);
    }

    fn sum_up(&mut self) {
        self.len = 0;
        for (before, words) in self.before.iter_mut().zip(self.words.chunks(STRIDE)) {
            // Only the whole can be 65,536, and no stride stands behind the whole.
            *before = self.len as u16;
            self.len += words.iter().map(|word| word.count_ones()).sum::<u32>();
        }
    }

    fn set(&mut self, low: u16) -> bool {
        let word = &mut self.words[usize::from(low) / 64];
        let bit = 1 << (low % 64);
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        self.len += 1;
        let stride = usize::from(low) / 64 / STRIDE;
        self.before[stride + 1..].iter_mut().for_each(|before| *before += 1);
        true
    }

    fn clear(&mut self, low: u16) -> bool {
        let word = &mut self.words[usize::from(low) / 64];
        let bit = 1 << (low % 64);
        if *word & bit == 0 {
            return false;
        }
        *word &= !bit;
        self.len -= 1;
        let stride = usize::from(low) / 64 / STRIDE;
        self.before[stride + 1..].iter_mut().for_each(|before| *before -= 1);
        true
    }

    fn rank(&self, low: u16) -> usize {
        let word = usize::from(low) / 64;
        let stride = word / STRIDE;
        let words: u32 = self.words[stride * STRIDE..word].iter().map(|word| word.count_ones()).sum();
        let bits = self.words[word] & ((1 << (low % 64)) - 1);
        usize::from(self.before[stride]) + (words + bits.count_ones()) as usize
    }

    fn page(&self, skip: usize, count: usize, mut take: impl FnMut(u16)) {
        if skip >= self.len as usize {
            return;
        }
        let stride = self.before.partition_point(|before| usize::from(*before) <= skip) - 1;
        let mut skip = skip - usize::from(self.before[stride]);
        let mut left = count;
        for place in stride * STRIDE..WORDS {
            let mut word = self.words[place];
            let ones = word.count_ones() as usize;
            if skip >= ones {
                skip -= ones;
                continue;
            }
            for _ in 0..skip {
                word &= word - 1;
            }
            skip = 0;
            while word != 0 {
                if left == 0 {
                    return;
                }
                take((place * 64) as u16 + word.trailing_zeros() as u16);
                word &= word - 1;
                left -= 1;
            }
        }
    }
}
