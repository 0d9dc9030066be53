//! Files, processes and the environment for operators such as `JsonSerialize` and `IOExec`.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use lockstep_eval::value::{Host, ProcessOutput};

/// The machine that this program runs on.
struct Machine {
    allow_exec: bool,
}

/// This machine, for one evaluator.
pub(crate) fn machine(allow_exec: bool) -> Rc<dyn Host> {
    Rc::new(Machine { allow_exec })
}

impl Host for Machine {
    fn read_file(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
    }

    fn write_file(&self, path: &str, text: &str, append: bool) -> Result<(), String> {
        let fail = |error: std::io::Error| format!("{path}: {error}");
        if let Some(folder) = Path::new(path).parent().filter(|it| !it.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        if !append {
            return std::fs::write(path, text).map_err(fail);
        }
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(path).map_err(fail)?;
        file.write_all(text.as_bytes()).map_err(fail)
    }

    fn exec(&self, command: &[String], env: &[(String, String)]) -> Result<ProcessOutput, String> {
        let Some((program, words)) = command.split_first() else {
            return Err("the command is empty".to_owned());
        };
        if !self.allow_exec {
            return Err(format!("{program}: programs are started only with --allow-exec"));
        }
        let variables = env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let output = Command::new(program)
            .args(words)
            .envs(variables)
            .output()
            .map_err(|error| format!("{program}: {error}"))?;
        Ok(ProcessOutput {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    fn env(&self) -> Vec<(String, String)> {
        let text = |it: std::ffi::OsString| it.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
    }

    fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis() as u64)
    }
}
