//! The options of the translator, from a command line or from the module.
//!
//! One table names every option; the module's own `PlusCal options (…)` takes the same names, with
//! or without the dash.

use super::module::FairnessOption;

/// Options of the translation. `Default` is what no option gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// `-wf`, `-sf`, `-wfNext`, `-nof`; `None` where none is given.
    pub fairness: Option<FairnessOption>,
    /// `-termination`: the configuration gets `PROPERTY Termination`.
    pub termination: bool,
    /// `-nocfg`: no configuration.
    pub no_cfg: bool,
    /// `-noold`: the caller is not to keep the old module.
    pub no_old: bool,
    /// `-noDoneDisjunct`: no disjunct that lets a finished algorithm stutter.
    pub no_done_disjunct: bool,
    /// `-label`: add missing labels.
    pub label: bool,
    /// `-reportLabels`: add missing labels and report them.
    pub report_labels: bool,
    /// `-labelRoot`: the start of the names of added labels.
    pub label_root: String,
    /// `-lineWidth`: columns of a line, at least 60.
    pub line_width: usize,
    /// `-unixEOL`: lines end with a line feed alone.
    pub unix_eol: bool,
    /// `-version`: the version of PlusCal the algorithm is written for.
    pub version: String,
    /// `-spec`, `-myspec`, `-spec2`, `-myspec2` with their argument: translate by way of a TLA+
    /// specification of the translation. Accepted; the result is the same, so it is only noted.
    pub spec: Option<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fairness: None,
            termination: false,
            no_cfg: false,
            no_old: false,
            no_done_disjunct: false,
            label: false,
            report_labels: false,
            label_root: "Lbl_".into(),
            line_width: 78,
            unix_eol: false,
            version: "1.12".into(),
            spec: None,
        }
    }
}

/// What one option does with the options and its argument.
type Apply = fn(&mut Options, &str) -> Result<(), String>;

struct Row {
    name: &'static str,
    takes_argument: bool,
    apply: Apply,
}

const fn flag(name: &'static str, apply: Apply) -> Row {
    Row { name, takes_argument: false, apply }
}

const fn valued(name: &'static str, apply: Apply) -> Row {
    Row { name, takes_argument: true, apply }
}

fn set_fairness(options: &mut Options, fairness: FairnessOption) -> Result<(), String> {
    if options.fairness.is_some_and(|old| old != fairness) {
        return Err("Can only have one of -wf, -sf, -wfNext, and -nof options".into());
    }
    options.fairness = Some(fairness);
    Ok(())
}

fn set_spec(options: &mut Options, how: &str, name: &str) -> Result<(), String> {
    if options.spec.is_some() {
        return Err("Can only have one of -spec, -myspec, -spec2, and -myspec2 options".into());
    }
    options.spec = Some((how.into(), name.into()));
    Ok(())
}

/// All options. `-noold`, `-nocfg` and the like have other spellings in use.
const ROWS: &[Row] = &[
    flag("wf", |options, _| set_fairness(options, FairnessOption::Weak)),
    flag("sf", |options, _| set_fairness(options, FairnessOption::Strong)),
    flag("wfNext", |options, _| set_fairness(options, FairnessOption::Next)),
    flag("nof", |options, _| set_fairness(options, FairnessOption::None)),
    flag("termination", |options, _| {
        options.termination = true;
        Ok(())
    }),
    flag("nocfg", |options, _| {
        options.no_cfg = true;
        Ok(())
    }),
    flag("noold", |options, _| {
        options.no_old = true;
        Ok(())
    }),
    flag("noDoneDisjunct", |options, _| {
        options.no_done_disjunct = true;
        Ok(())
    }),
    flag("label", |options, _| {
        options.label = true;
        Ok(())
    }),
    flag("reportLabels", |options, _| {
        options.report_labels = true;
        options.label = true;
        Ok(())
    }),
    flag("unixEOL", |options, _| {
        options.unix_eol = true;
        Ok(())
    }),
    valued("labelRoot", |options, value| {
        let word = value.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_');
        if !word || value.is_empty() || value.starts_with(|ch: char| ch.is_ascii_digit()) {
            return Err(format!("-labelRoot needs the start of a name, not `{value}'"));
        }
        options.label_root = value.into();
        Ok(())
    }),
    valued("lineWidth", |options, value| match value.parse::<usize>() {
        Ok(width) if width >= 60 => {
            options.line_width = width;
            Ok(())
        }
        _ => Err(format!("-lineWidth needs a number of at least 60, not `{value}'")),
    }),
    valued("version", |options, value| {
        let known = value
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            .is_some_and(|version: (u32, u32)| ((1, 0)..=(1, 12)).contains(&version));
        if !known {
            return Err(format!("Unknown version of PlusCal: `{value}'"));
        }
        options.version = value.into();
        Ok(())
    }),
    valued("spec", |options, value| set_spec(options, "spec", value)),
    valued("myspec", |options, value| set_spec(options, "myspec", value)),
    valued("spec2", |options, value| set_spec(options, "spec2", value)),
    valued("myspec2", |options, value| set_spec(options, "myspec2", value)),
];

impl Options {
    /// Reads options such as `-wf`, `-lineWidth`, `70`. Returns the words that are no options, as
    /// the name of the module, in their order.
    pub fn from_args<'a>(
        args: impl IntoIterator<Item = &'a str>,
    ) -> Result<(Self, Vec<&'a str>), String> {
        let mut options = Self::default();
        let mut rest = Vec::new();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.strip_prefix('-') {
                Some(name) => {
                    if !options.apply(name, &mut args)? {
                        return Err(format!("Unknown command-line option: {arg}"));
                    }
                }
                None => rest.push(arg),
            }
        }
        Ok((options, rest))
    }

    fn apply<'a>(
        &mut self,
        name: &str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<bool, String> {
        let Some(row) = ROWS.iter().find(|row| row.name == name) else { return Ok(false) };
        let value = if row.takes_argument {
            rest.next().ok_or_else(|| format!("-{name} must be followed by a value"))?
        } else {
            ""
        };
        (row.apply)(self, value)?;
        Ok(true)
    }

    /// Adds the options of the module, which yield to those given from outside where both set one.
    pub(super) fn add_module_options(&mut self, words: &[&str]) -> Result<(), String> {
        let outside = self.fairness.take();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let name = word.strip_prefix('-').unwrap_or(word);
            if !self.apply(name, &mut words)? {
                return Err(format!("Unknown or illegal option in options statement: {word}"));
            }
        }
        self.fairness = outside.or(self.fairness);
        Ok(())
    }

    /// The fairness that holds: `-termination` makes it weak where nothing is said.
    pub(super) fn effective_fairness(&self) -> FairnessOption {
        let default = if self.termination { FairnessOption::Weak } else { FairnessOption::None };
        self.fairness.unwrap_or(default)
    }
}
