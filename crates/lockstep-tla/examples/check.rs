//! Checks a specification from the command line, the short way.
use lockstep_semantic::{ModuleSource, ModuleText, RootText, analyse};
use std::sync::Arc;
struct Files(std::path::PathBuf);
impl ModuleSource for Files {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        for dir in [self.0.clone(), "/work/shared/corpus/community".into()] {
            let p = dir.join(format!("{name}.tla"));
            if let Ok(text) = std::fs::read_to_string(&p) {
                return Ok(Some(ModuleText { path: p.display().to_string(), text }));
            }
        }
        Ok(lockstep_eval::stdlib::module_source(name).map(|t| ModuleText { path: format!("<built-in {name}>"), text: t.to_string() }))
    }
}
fn main() {
    std::thread::Builder::new().stack_size(1 << 30).spawn(run).unwrap().join().unwrap();
}
fn run() {
    let args: Vec<String> = std::env::args().collect();
    let path = std::path::PathBuf::from(&args[1]);
    let name = path.file_stem().unwrap().to_str().unwrap().to_string();
    let text = std::fs::read_to_string(&path).unwrap();
    let a = analyse(&Files(path.parent().unwrap().into()), RootText { name, path: args[1].clone(), text });
    for d in &a.diagnostics { eprintln!("{}", lockstep_syntax::render::render(&a.spec.sources, std::slice::from_ref(d), false)); }
    let mut spec = a.spec;
    let cfg = std::fs::read_to_string(&args[2]).unwrap();
    let file = spec.sources.add(lockstep_syntax::SourceFile::new(args[2].clone(), cfg));
    let (config, ds) = lockstep_semantic::parse_config(file, spec.sources.file(file));
    for d in &ds { eprintln!("{d:?}"); }
    let program = match lockstep_eval::lower(&spec, &config, &Default::default()) {
        Ok(p) => Arc::new(p),
        Err(ds) => { for d in ds { eprintln!("{d:?}"); } return; }
    };
    let t = std::time::Instant::now();
    let mut out = lockstep_tla::check(&program, &Default::default(), &mut |_, p| { for l in p { println!("{l}"); } lockstep_explore::Command::Continue });
    println!("{:?} exit {} in {:?} ended {:?}", out.statistics.counters, out.exit_status(), t.elapsed(), out.ended);
    let vs = std::mem::take(&mut out.violations);
    for v in &vs {
        println!("{:?}", v.kind);
        for s in &v.trace.states {
            let vals: Vec<String> = s.state.values().iter().map(|v| out.evaluator.text(v)).collect();
            println!("  {:?} {vals:?}", s.action.map(|a| program.actions[a as usize].name.to_string()));
        }
        println!("{:?}", v.trace.ends_in);
    }
}
