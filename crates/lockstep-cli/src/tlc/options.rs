//! TLC's command line: one row of [`OPTIONS`] an option.
//!
//! Not clap: TLC's options begin with one dash, some take a value only when the next word looks
//! like one, and the texts of errors are what scripts match. What an option of TLC means here is
//! written in its row: it sets something, is accepted without effect because its purpose (a
//! directory for fingerprints, a hash polynomial) does not exist here, or is refused by name.

use std::path::PathBuf;

/// What a command line of TLC asks for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TlcArguments {
    /// The specification, without `.tla`.
    pub(crate) spec: Option<String>,
    /// `-config`.
    pub(crate) config: Option<String>,
    /// `-deadlock`: deadlock is *not* checked.
    pub(crate) no_deadlock: bool,
    /// `-workers`; 0 is one a processor.
    pub(crate) workers: usize,
    /// `-continue`.
    pub(crate) keep_going: bool,
    /// `-dfid`.
    pub(crate) dfid: Option<u64>,
    /// `-simulate` and `-generate`.
    pub(crate) simulate: Option<Simulate>,
    /// `-depth`.
    pub(crate) depth: Option<u64>,
    /// `-seed`.
    pub(crate) seed: Option<i64>,
    /// `-aril`.
    pub(crate) aril: u64,
    /// `-maxSetSize`.
    pub(crate) max_set_size: Option<u64>,
    /// `-lncheck`.
    pub(crate) liveness_check: Option<String>,
    /// `-inv`.
    pub(crate) invariants: Vec<String>,
    /// `-invlevel`.
    pub(crate) invariant_level: Option<u64>,
    /// `-postCondition`.
    pub(crate) postconditions: Vec<String>,
    /// `-view`.
    pub(crate) show_view: bool,
    /// `-tool`.
    pub(crate) tool: bool,
    /// `-nowarning`.
    pub(crate) no_warning: bool,
    /// `-difftrace`.
    pub(crate) difftrace: bool,
    /// `-coverage`.
    pub(crate) coverage: bool,
    /// `-dump`: format words and the file.
    pub(crate) dump: Option<(Vec<String>, String)>,
    /// `-dumpTrace`: format and file.
    pub(crate) dump_trace: Vec<(String, String)>,
    /// `-loadTrace`: format and file.
    pub(crate) load_trace: Option<(String, String)>,
    /// `-userFile`.
    pub(crate) user_file: Option<PathBuf>,
    /// `-metadir`.
    pub(crate) metadir: Option<PathBuf>,
    /// `-checkpoint`, in minutes; 0 is never.
    pub(crate) checkpoint: Option<u64>,
    /// `-checkpointLevels`: a checkpoint after so many levels, for tests.
    pub(crate) checkpoint_levels: Option<u32>,
    /// `-recover`.
    pub(crate) recover: Option<String>,
    /// `-generateSpecTE` or its absence: whether a trace module is written.
    pub(crate) no_trace_spec: bool,
    /// `-teSpecOutDir`.
    pub(crate) trace_spec_folder: Option<PathBuf>,
    /// `-suppressMessages`.
    pub(crate) suppressed: Vec<u32>,
    /// `-messagesAsErrors`.
    pub(crate) as_errors: Vec<u32>,
    /// `-Dkey=value`.
    pub(crate) properties: Vec<(String, String)>,
    /// `-h`.
    pub(crate) help: bool,
}

/// Random walks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Simulate {
    /// `-generate`.
    pub(crate) generate: bool,
    /// `num=`.
    pub(crate) number: Option<u64>,
    /// `file=`.
    pub(crate) file: Option<String>,
    /// `stats=`.
    pub(crate) statistics: Option<String>,
    /// `sched=`.
    pub(crate) schedule: Option<String>,
}

impl Default for TlcArguments {
    fn default() -> Self {
        Self {
            spec: None,
            config: None,
            no_deadlock: false,
            workers: 1,
            keep_going: false,
            dfid: None,
            simulate: None,
            depth: None,
            seed: None,
            aril: 0,
            max_set_size: None,
            liveness_check: None,
            invariants: Vec::new(),
            invariant_level: None,
            postconditions: Vec::new(),
            show_view: false,
            tool: false,
            no_warning: false,
            difftrace: false,
            coverage: false,
            dump: None,
            dump_trace: Vec::new(),
            load_trace: None,
            user_file: None,
            metadir: None,
            checkpoint: None,
            checkpoint_levels: None,
            recover: None,
            no_trace_spec: false,
            trace_spec_folder: None,
            suppressed: Vec::new(),
            as_errors: Vec::new(),
            properties: Vec::new(),
            help: false,
        }
    }
}

/// The words of the command line with a cursor.
struct Words<'a> {
    words: &'a [String],
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let it = self.words.get(self.at)?;
        self.at += 1;
        Some(it)
    }

    fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
        let it = self.words.get(self.at).filter(|it| wanted(it))?;
        self.at += 1;
        Some(it)
    }

    /// The value of an option; `what` names it in the error.
    fn value(&mut self, option: &str, what: &str) -> Result<&'a str, String> {
        self.next().ok_or_else(|| format!("expect {what} for {option} option."))
    }

    fn number<T: std::str::FromStr>(&mut self, option: &str, what: &str) -> Result<T, String> {
        let word = self.value(option, what)?;
        word.parse()
            .map_err(|_| format!("expect {what} for {option} option. But encountered {word}"))
    }
}

type Apply = fn(&mut TlcArguments, &mut Words<'_>, &str) -> Result<(), String>;

/// An option of TLC.
pub(crate) struct TlcOption {
    /// Its spellings.
    pub(crate) names: &'static [&'static str],
    /// What follows it, for the help.
    pub(crate) takes: &'static str,
    /// What it does here.
    pub(crate) about: &'static str,
    /// Reads what follows it.
    apply: Apply,
}

const fn option(
    names: &'static [&'static str],
    takes: &'static str,
    about: &'static str,
    apply: Apply,
) -> TlcOption {
    TlcOption { names, takes, about, apply }
}

fn codes(text: &str, option: &str) -> Result<Vec<u32>, String> {
    text.split(',')
        .map(|it| {
            it.trim().parse().map_err(|_| format!("expect message codes for {option} option."))
        })
        .collect()
}

fn simulate(it: &mut TlcArguments, words: &mut Words<'_>, generate: bool) -> Result<(), String> {
    let mut out = Simulate { generate, ..Simulate::default() };
    let keys = ["num=", "file=", "stats=", "sched="];
    if let Some(list) = words.next_if(|it| keys.iter().any(|key| it.starts_with(key))) {
        for part in list.split(',') {
            match part.split_once('=') {
                Some(("num", number)) => {
                    let number = number.parse().map_err(|_| {
                        format!("expect a number of traces for num=. But encountered {number}")
                    })?;
                    out.number = Some(number);
                }
                Some(("file", file)) => out.file = Some(file.to_owned()),
                Some(("stats", kind)) => out.statistics = Some(kind.to_owned()),
                Some(("sched", kind)) => out.schedule = Some(kind.to_owned()),
                _ => return Err(format!("unrecognized option of -simulate: {part}")),
            }
        }
    }
    it.simulate = Some(out);
    Ok(())
}

/// All options, in the order of the help.
pub(crate) const OPTIONS: &[TlcOption] = &[
    option(&["-config"], "FILE", "the model; SPEC.cfg if not given", |it, words, name| {
        it.config = Some(words.value(name, "a file name")?.to_owned());
        Ok(())
    }),
    option(&["-deadlock"], "", "do not check for deadlock", |it, _, _| {
        it.no_deadlock = true;
        Ok(())
    }),
    option(&["-workers"], "N|auto", "worker threads; 1 if not given", |it, words, name| {
        let word = words.value(name, "an integer or 'auto'")?;
        it.workers = match word {
            "auto" => 0,
            _ => match word.parse() {
                Ok(n) if n > 0 => n,
                Ok(_) => return Err("at least one worker required".to_owned()),
                Err(_) => {
                    return Err(format!(
                        "worker number or 'auto' required. But encountered {word}"
                    ));
                }
            },
        };
        Ok(())
    }),
    option(&["-continue"], "", "go on after a violation", |it, _, _| {
        it.keep_going = true;
        Ok(())
    }),
    option(&["-dfid"], "N", "search depth first to depth N", |it, words, name| {
        it.dfid = Some(words.number(name, "a nonnegative integer")?);
        Ok(())
    }),
    option(&["-simulate"], "[num=N,file=F,stats=S]", "walk at random", |it, words, _| {
        simulate(it, words, false)
    }),
    option(
        &["-generate"],
        "[num=N,file=F]",
        "walk at random, one binding a step",
        |it, words, _| simulate(it, words, true),
    ),
    option(&["-modelcheck"], "", "search exhaustively, which is the default", |it, _, _| {
        it.simulate = None;
        Ok(())
    }),
    option(&["-depth"], "N", "length of random walks; 100 if not given", |it, words, name| {
        it.depth = Some(words.number(name, "an integer")?);
        Ok(())
    }),
    option(&["-seed"], "N", "seed of random choices", |it, words, name| {
        it.seed = Some(words.number(name, "an integer")?);
        Ok(())
    }),
    option(&["-aril"], "N", "adjusts the seed", |it, words, name| {
        it.aril = words.number(name, "an integer")?;
        Ok(())
    }),
    option(&["-maxSetSize"], "N", "the largest set to enumerate", |it, words, name| {
        let size = words.number(name, "a positive integer")?;
        if size == 0 {
            return Err(
                "expect a positive integer for -maxSetSize option. But encountered 0".into()
            );
        }
        it.max_set_size = Some(size);
        Ok(())
    }),
    option(
        &["-lncheck"],
        "WHEN",
        "when to check liveness: default, final, seq, off",
        |it, words, name| {
            it.liveness_check = Some(words.value(name, "a strategy such as final")?.to_lowercase());
            Ok(())
        },
    ),
    option(&["-inv"], "EXPR", "one more invariant", |it, words, name| {
        it.invariants.push(words.value(name, "an expression")?.to_owned());
        Ok(())
    }),
    option(&["-invlevel"], "N", "stop at the first behavior of N states", |it, words, name| {
        it.invariant_level = Some(words.number(name, "a natural number")?);
        Ok(())
    }),
    option(&["-postCondition"], "MODULE!OP", "one more postcondition", |it, words, name| {
        it.postconditions.push(words.value(name, "MODULE!OPERATOR")?.to_owned());
        Ok(())
    }),
    option(&["-view"], "", "print VIEW in place of states", |it, _, _| {
        it.show_view = true;
        Ok(())
    }),
    option(&["-tool"], "", "frame messages for tools", |it, _, _| {
        it.tool = true;
        Ok(())
    }),
    option(&["-terse"], "", "accepted without effect", |_, _, _| Ok(())),
    option(&["-nowarning"], "", "print no warnings", |it, _, _| {
        it.no_warning = true;
        Ok(())
    }),
    option(&["-suppressMessages"], "CODES", "do not print these messages", |it, words, name| {
        it.suppressed = codes(words.value(name, "message codes")?, name)?;
        Ok(())
    }),
    option(&["-messagesAsErrors"], "CODES", "treat these warnings as errors", |it, words, name| {
        it.as_errors = codes(words.value(name, "message codes")?, name)?;
        Ok(())
    }),
    option(&["-difftrace"], "", "print only what changed in a behavior", |it, _, _| {
        it.difftrace = true;
        Ok(())
    }),
    option(&["-coverage"], "MINUTES", "count evaluations", |it, words, name| {
        words.number::<u64>(name, "an integer")?;
        it.coverage = true;
        Ok(())
    }),
    option(&["-dump"], "[FORMAT] FILE", "write all states", |it, words, name| {
        let first = words.value(name, "a file name")?;
        if first.starts_with("class,") {
            return Err(format!("{name} with a class of Java is not supported by Lockstep"));
        }
        let is_format = first == "dot" || first.starts_with("dot,");
        let known =
            ["dot", "colorize", "actionlabels", "constrained", "snapshot", "stuttering", "strict"];
        if let Some(word) = first.split(',').find(|it| is_format && !known.contains(it)) {
            return Err(format!("{name} with {word} is not supported by Lockstep"));
        }
        it.dump = Some(if is_format {
            let format = first.split(',').map(str::to_owned).collect();
            let file = words.value(name, "a file name after the format")?;
            (format, file.to_owned())
        } else {
            (Vec::new(), first.to_owned())
        });
        Ok(())
    }),
    option(&["-dumpTrace"], "FORMAT FILE", "write the counterexample", |it, words, name| {
        let format = words.value(name, "a format and a file name")?;
        let file = words.value(name, "a file name after the format")?;
        it.dump_trace.push((format.to_owned(), file.to_owned()));
        Ok(())
    }),
    option(&["-loadTrace"], "FORMAT FILE", "follow a stored behavior", |it, words, name| {
        let format = words.value(name, "a format and a file name")?;
        let file = words.value(name, "a file name after the format")?;
        it.load_trace = Some((format.to_owned(), file.to_owned()));
        Ok(())
    }),
    option(&["-userFile"], "FILE", "write what Print prints to a file", |it, words, name| {
        it.user_file = Some(words.value(name, "a file name")?.into());
        Ok(())
    }),
    option(&["-metadir"], "DIR", "where checkpoints go", |it, words, name| {
        it.metadir = Some(words.value(name, "a directory")?.into());
        Ok(())
    }),
    option(
        &["-checkpoint"],
        "MINUTES",
        "time between checkpoints; 0 is none",
        |it, words, name| {
            it.checkpoint = Some(words.number(name, "a nonnegative integer")?);
            Ok(())
        },
    ),
    option(&["-checkpointLevels"], "N", "also after so many levels", |it, words, name| {
        it.checkpoint_levels = Some(words.number(name, "an integer")?);
        Ok(())
    }),
    option(&["-recover"], "ID", "go on from a checkpoint", |it, words, name| {
        it.recover = Some(words.value(name, "a checkpoint")?.to_owned());
        Ok(())
    }),
    option(&["-noGenerateSpecTE", "-noTE"], "", "write no trace module", |it, _, _| {
        it.no_trace_spec = true;
        Ok(())
    }),
    option(&["-generateSpecTE"], "[nomonolith]", "write a trace module", |it, words, _| {
        words.next_if(|it| it == "nomonolith");
        it.no_trace_spec = false;
        Ok(())
    }),
    option(&["-noGenerateSpecTEBin", "-noTEBin"], "", "accepted without effect", |_, _, _| Ok(())),
    option(&["-teSpecOutDir"], "DIR", "where the trace module goes", |it, words, name| {
        it.trace_spec_folder = Some(words.value(name, "a directory")?.into());
        Ok(())
    }),
    option(&["-fp"], "N", "accepted without effect", |_, words, name| {
        let n: u64 = words.number(name, "an integer from 0 to 130")?;
        if n > 130 {
            return Err(format!("the value for {name} must be from 0 to 130. But encountered {n}"));
        }
        Ok(())
    }),
    option(&["-fpbits"], "N", "accepted without effect", |_, words, name| {
        words.number::<u64>(name, "an integer from 0 to 30").map(drop)
    }),
    option(&["-fpmem"], "RATIO", "accepted without effect", |_, words, name| {
        words.number::<f64>(name, "a ratio or a number of bytes").map(drop)
    }),
    option(&["-cleanup"], "", "accepted without effect", |_, _, _| Ok(())),
    option(&["-gzip"], "", "accepted without effect", |_, _, _| Ok(())),
    option(&["-debug"], "", "accepted without effect", |_, _, _| Ok(())),
    option(&["-nogzip"], "", "accepted without effect", |_, _, _| Ok(())),
    option(&["-debugger"], "[…]", "refused: there is no debugger", |_, words, name| {
        words.next_if(|it| it.starts_with("no") || it.starts_with("port="));
        Err(format!("{name} is not supported by Lockstep"))
    }),
    option(&["-h", "-help"], "", "this help", |it, _, _| {
        it.help = true;
        Ok(())
    }),
];

/// Reads a command line; `Err` is the text that TLC prints after `Error: `.
pub(crate) fn parse(words: &[String]) -> Result<TlcArguments, String> {
    let mut out = TlcArguments::default();
    let mut words = Words { words, at: 0 };
    while let Some(word) = words.next() {
        if let Some(property) = word.strip_prefix("-D") {
            let (key, value) = property.split_once('=').unwrap_or((property, "true"));
            out.properties.push((key.to_owned(), value.to_owned()));
        } else if let Some(option) = OPTIONS.iter().find(|it| it.names.contains(&word)) {
            (option.apply)(&mut out, &mut words, word)?;
        } else if word.starts_with('-') {
            return Err(format!("unrecognized option: {word}"));
        } else if let Some(first) = &out.spec {
            return Err(format!("more than one input files: {first} and {word}"));
        } else {
            out.spec = Some(word.strip_suffix(".tla").unwrap_or(word).to_owned());
        }
    }
    if out.spec.is_none() && !out.help {
        return Err("Missing input TLA+ module.".to_owned());
    }
    if out.simulate.is_some() && out.dfid.is_some() {
        return Err("-dfid and -simulate cannot be used together.".to_owned());
    }
    Ok(out)
}

/// The text of an error in the command line.
pub(crate) fn usage_error(text: &str) -> String {
    format!("Error: {text}\nUsage: lockstep tlc [-help] [-option] inputfile")
}

/// The text of `-help`.
pub(crate) fn help(version: &str) -> String {
    let mut out = format!(
        "NAME\n\n\tTLC - provides model checking and simulation of TLA+ specifications - Lockstep {version}\n\n\
         SYNOPSIS\n\n\tlockstep tlc [options] SPEC\n\nOPTIONS\n\n"
    );
    for it in OPTIONS {
        let names = it.names.join(", ");
        let takes = if it.takes.is_empty() { String::new() } else { format!(" {}", it.takes) };
        out += &format!("\t{names}{takes}\n\t\t{}\n", it.about);
    }
    out += "\t-DKEY=VALUE\n\t\ta property of Java; those of TLC that specifications rely on have effect\n";
    out
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, Simulate, parse};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for name in OPTIONS.iter().flat_map(|it| it.names) {
            assert!(seen.insert(name), "{name}");
            assert!(name.starts_with('-'));
        }
    }

    #[test]
    fn options_in_common_use() {
        let it = parse(&words(
            "-Dtlc2.tool.impl.Tool.cdot=true -deadlock -workers auto -fp 0 -seed 1 -simulate \
             num=5,file=/a/b -depth 7 -dump dot,colorize,actionlabels d.dot -dumpTrace json t.json \
             -config M.cfg Spec.tla",
        ))
        .expect("a good command line");
        assert_eq!(it.spec.as_deref(), Some("Spec"));
        assert_eq!(it.config.as_deref(), Some("M.cfg"));
        assert_eq!((it.no_deadlock, it.workers, it.seed, it.depth), (true, 0, Some(1), Some(7)));
        let walk = Simulate { number: Some(5), file: Some("/a/b".into()), ..Simulate::default() };
        assert_eq!(it.simulate, Some(walk));
        assert_eq!(
            it.dump,
            Some((vec!["dot".into(), "colorize".into(), "actionlabels".into()], "d.dot".into()))
        );
        assert_eq!(it.dump_trace, [("json".into(), "t.json".into())]);
        assert_eq!(it.properties, [("tlc2.tool.impl.Tool.cdot".into(), "true".into())]);
    }

    #[test]
    fn a_value_of_simulate_is_optional() {
        let it = parse(&words("-simulate Spec")).expect("a good command line");
        assert_eq!(it.spec.as_deref(), Some("Spec"));
        assert_eq!(it.simulate, Some(Simulate::default()));
    }

    #[test]
    fn errors_are_worded_as_tlc_words_them() {
        let error = |text: &str| parse(&words(text)).expect_err("a bad command line");
        assert_eq!(error("-foo S"), "unrecognized option: -foo");
        assert_eq!(error("-workers x S"), "worker number or 'auto' required. But encountered x");
        assert_eq!(error("-workers"), "expect an integer or 'auto' for -workers option.");
        assert_eq!(error(""), "Missing input TLA+ module.");
        assert_eq!(error("S.tla D.tla"), "more than one input files: S and D.tla");
        assert_eq!(error("-debugger S"), "-debugger is not supported by Lockstep");
    }
}
