//! Checkpoints as files: when, where, and for which specification.
//!
//! A checkpoint is the file `checkpoint` in a folder of its own. It is written under another name, forced to the disk, and
//! renamed, so at every instant there is the old one or the new one, whole. Its head names the format, the version and a
//! key made of all sources, the model and the options that matter; one of something else is refused by name.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use lockstep_eval::ir::Program;
use lockstep_explore::checkpoint::{Seal, Unseal};
use lockstep_explore::{Checkpoints, Progress};

use crate::request::Request;

const MAGIC: &[u8; 16] = b"lockstep check 1";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The name of the file in its folder.
const NAME: &str = "checkpoint";

/// When and where checkpoints are made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plan {
    /// The folder; made with the first checkpoint.
    pub(crate) folder: PathBuf,
    /// At the first fence after so long.
    pub(crate) every: Option<Duration>,
    /// After so many levels.
    pub(crate) levels: Option<u32>,
}

/// What there is to tell.
pub(crate) enum Event {
    /// One is being written to this folder.
    Begun(String),
    /// It is there.
    Written,
    /// It is not.
    Failed(String),
}

/// What the search is told, and what it tells.
pub(crate) struct Store {
    plan: Option<Plan>,
    recover: Option<PathBuf>,
    key: u64,
    last: Instant,
    fences: u32,
    events: Rc<RefCell<Vec<Event>>>,
}

/// FNV-1a.
fn hash(sum: u64, bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let sum = bytes.iter().fold(sum, step);
    // A border, so that "ab", "c" is not "a", "bc".
    step(sum, &0xff).rotate_left(17)
}

/// All that makes a search what it is: sources and model, and the options that change what is counted or checked.
fn key(request: &Request, program: &Program) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325;
    for (_, file) in program.sources.files() {
        sum = hash(sum, file.text.as_bytes());
    }
    let options = format!(
        "{:?} {} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?}",
        request.check_deadlock,
        request.keep_going,
        request.max_set_size,
        request.ignore_liveness,
        request.invariants,
        request.postconditions,
        request.properties,
        request.seed,
        request.dfid,
        request.follow,
    );
    hash(sum, options.as_bytes())
}

impl Store {
    /// For one run. What happens is added to `events`.
    pub(crate) fn new(
        request: &Request,
        program: &Program,
        events: &Rc<RefCell<Vec<Event>>>,
    ) -> Self {
        Self {
            plan: request.checkpoint.clone(),
            recover: request.recover.clone(),
            key: key(request, program),
            last: Instant::now(),
            fences: 0,
            events: Rc::clone(events),
        }
    }

    /// Removes the checkpoint of a run that has come to its end.
    pub(crate) fn remove(&self) {
        if let Some(plan) = &self.plan
            && std::fs::remove_file(plan.folder.join(NAME)).is_ok()
        {
            // Only folders that are empty go.
            let _ = std::fs::remove_dir(&plan.folder);
        }
    }

    fn write(
        &self,
        folder: &Path,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let partial = folder.join(format!("{NAME}.partial"));
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&partial)?);
        file.write_all(MAGIC)?;
        let mut seal = Seal::new(file);
        seal.write_all(&(VERSION.len() as u32).to_le_bytes())?;
        seal.write_all(VERSION.as_bytes())?;
        seal.write_all(&self.key.to_le_bytes())?;
        write(&mut seal)?;
        let file = seal.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        std::fs::rename(&partial, folder.join(NAME))?;
        // The new name has to reach the disk, too. Where folders cannot be opened there is nothing to do.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Checkpoints for Store {
    fn due(&mut self, _: &Progress) -> bool {
        let Some(plan) = &self.plan else { return false };
        self.fences += 1;
        plan.levels.is_some_and(|it| self.fences >= it)
            || plan.every.is_some_and(|it| self.last.elapsed() >= it)
    }

    fn save(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let Some(folder) = self.plan.as_ref().map(|it| it.folder.clone()) else { return };
        let mut events = self.events.borrow_mut();
        events.push(Event::Begun(folder.display().to_string()));
        events.push(match self.write(&folder, write) {
            Ok(()) => Event::Written,
            Err(error) => Event::Failed(format!("no checkpoint in {}: {error}", folder.display())),
        });
        drop(events);
        (self.last, self.fences) = (Instant::now(), 0);
    }

    fn open(&mut self) -> io::Result<Option<Box<dyn Read>>> {
        let Some(folder) = &self.recover else { return Ok(None) };
        let path = if folder.is_dir() { folder.join(NAME) } else { folder.clone() };
        let wrong = |text: &str| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}: {text}", path.display()))
        };
        let file = File::open(&path).map_err(|error| wrong(&error.to_string()))?;
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut magic = [0; 16];
        input.read_exact(&mut magic).map_err(|_| wrong("this is no checkpoint"))?;
        if &magic != MAGIC {
            return Err(wrong("this is no checkpoint"));
        }
        let mut input = Unseal::new(input);
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let mut version = Vec::new();
        (&mut input).take(u64::from(u32::from_le_bytes(length))).read_to_end(&mut version)?;
        if version != VERSION.as_bytes() {
            let version = String::from_utf8_lossy(&version);
            return Err(wrong(&format!(
                "the checkpoint was made by Lockstep {version}, and this is {VERSION}"
            )));
        }
        let mut key = [0; 8];
        input.read_exact(&mut key)?;
        if u64::from_le_bytes(key) != self.key {
            return Err(wrong(
                "the checkpoint is of another specification or model, or of other options",
            ));
        }
        Ok(Some(Box::new(input)))
    }
}
