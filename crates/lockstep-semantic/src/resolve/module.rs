//! Modules: loading, EXTENDS, nesting, and what a finished module offers to others.

use std::rc::Rc;

use lockstep_syntax::ast::{self, Ast, Ident, Name};
use lockstep_syntax::{Diagnostic, FileId, SourceFile, Span};
use rustc_hash::FxHashMap;

use super::{Export, Frame, Load, Resolver, empty_module};
use crate::analyse::{LoadedFile, RootText};
use crate::check::Check;
use crate::hir::{DefinitionRef, Meaning, ModuleId};
use crate::lint;
use crate::order::Node;
use crate::scope::{Scope, Symbol};

/// Problems of the later modules of a file.
type Problems = Vec<Vec<Diagnostic>>;

impl Resolver<'_> {
    /// Reads and resolves the root module.
    pub(crate) fn root(&mut self, root: RootText) {
        let name = Name::new(&root.name);
        let Some((ast, deferred)) = self.read(&name, root.path, root.text) else { return };
        self.root_deferred = deferred;
        for (idx, module) in ast.modules.iter().enumerate() {
            self.root_modules.entry(module.name.name.clone()).or_insert(idx);
        }
        self.root_ast = Some(Rc::clone(&ast));
        self.loaded.insert(name.clone(), Load::InProgress);
        self.loading.push((name.clone(), None));
        let module = self.top_level(&name, &ast, 0);
        self.loading.pop();
        self.loaded.insert(name, module.map_or(Load::Failed, Load::Done));
        let Some(module) = module else { return };
        self.spec.root = Some(module);
        let info = &self.modules[module.index()];
        for decl in &info.decls {
            match self.spec.decls[decl.index()].kind {
                crate::hir::DeclKind::Variable => self.spec.variables.push(*decl),
                crate::hir::DeclKind::Constant => self.spec.constants.push(*decl),
            }
        }
        self.spec.assumptions.clone_from(&info.assumptions);
    }

    /// Parses a file; `None` when it cannot be used.
    fn read(&mut self, name: &Name, path: String, text: String) -> Option<(Rc<Ast>, Problems)> {
        let file = self.spec.sources.add(SourceFile::new(path, text));
        self.files.push(LoadedFile { name: name.clone(), file, imports: Vec::new() });
        let parse = lockstep_syntax::parse(file, self.spec.sources.file(file));
        let broken = parse.diagnostics.iter().any(Diagnostic::is_error);
        self.diagnostics.extend(parse.diagnostics);
        let ast = Rc::new(parse.ast);
        if broken {
            return None;
        }
        if ast.modules.is_empty() {
            let span = Span::new(file, 0, 0);
            self.report(
                Diagnostic::error("E4221", span, format!("no module `{name}` in this file"))
                    .help(format!("begin it with `---- MODULE {name} ----`")),
            );
            return None;
        }
        lint::checksums(self.spec.sources.file(file), file, &mut self.diagnostics);
        Some((ast, parse.deferred))
    }

    /// Resolves the module at `idx` of a file as the top-level module `name`.
    fn top_level(&mut self, name: &Name, ast: &Rc<Ast>, idx: usize) -> Option<ModuleId> {
        let module = &ast.modules[idx];
        if module.name.name != *name {
            self.report(
                Diagnostic::error(
                    "E4221",
                    module.name.span,
                    format!("module `{}` is in a file named `{name}.tla`", module.name.name),
                )
                .label(format!("this should be `{name}`"))
                .help("give the file and its first module the same name"),
            );
        }
        let scope = std::mem::replace(&mut self.scope, Scope::new());
        let frame = self.frame.take();
        let depth = std::mem::take(&mut self.depth);
        let outer = std::mem::take(&mut self.nested);
        let outer_node = std::mem::replace(&mut self.node, self.graph.len());
        self.graph.push(Node::new(name.clone(), module.span));
        let id = self.module(ast, module, None, FxHashMap::default());
        let nested = std::mem::replace(&mut self.nested, outer);
        self.node = outer_node;
        self.check_nested(ast.file, &nested);
        self.scope = scope;
        self.frame = frame;
        self.depth = depth;
        Some(id)
    }

    /// A nested module must not have the name of a top-level one that the file reaches.
    fn check_nested(&mut self, file: FileId, nested: &[(Ident, ModuleId)]) {
        let mut reached: Vec<&Name> = Vec::new();
        let mut files: Vec<FileId> = vec![file];
        let mut idx = 0;
        while let Some(file) = files.get(idx).copied() {
            idx += 1;
            let Some(loaded) = self.files.iter().find(|it| it.file == file) else { continue };
            for import in &loaded.imports {
                if !reached.contains(&import) {
                    reached.push(import);
                }
                let next = self.files.iter().find(|it| it.name == *import).map(|it| it.file);
                if let Some(next) = next.filter(|next| !files.contains(next)) {
                    files.push(next);
                }
            }
        }
        let mut found = Vec::new();
        for (ident, id) in nested {
            if !reached.contains(&&ident.name) {
                continue;
            }
            let Some(Load::Done(other)) = self.loaded.get(&ident.name) else { continue };
            if other != id {
                found.push((ident.clone(), self.spec.module(*other).span));
            }
        }
        for (ident, first) in found {
            self.report(
                Diagnostic::error(
                    "E4223",
                    ident.span,
                    format!("there are two modules `{}`", ident.name),
                )
                .label("the nested one")
                .also(Span::new(first.file, first.start, first.start), "the one in a file")
                .help("rename the nested module"),
            );
        }
    }

    /// The top-level module `name`, read now if it was not yet.
    fn load(&mut self, ident: &Ident, extends: bool) -> Option<ModuleId> {
        let name = &ident.name;
        self.note_import(name, extends);
        match self.loaded.get(name) {
            Some(Load::Done(module)) => return Some(*module),
            Some(Load::Failed) => {
                self.frame().info.incomplete = true;
                return None;
            }
            Some(Load::InProgress) => {
                self.circular(ident);
                return None;
            }
            None => {}
        }
        self.loaded.insert(name.clone(), Load::InProgress);
        self.loading.push((name.clone(), Some(ident.span)));
        let module = self.load_new(ident);
        self.loading.pop();
        self.loaded.insert(name.clone(), module.map_or(Load::Failed, Load::Done));
        let broken = match module {
            None => true,
            Some(module) => self.modules[module.index()].incomplete,
        };
        self.frame().info.incomplete |= broken;
        module
    }

    fn load_new(&mut self, ident: &Ident) -> Option<ModuleId> {
        let name = &ident.name;
        match self.source.load(name) {
            Ok(Some(found)) => {
                let (ast, _) = self.read(name, found.path, found.text)?;
                self.top_level(name, &ast, 0)
            }
            Ok(None) => {
                // A file that holds all modules it needs: what is found elsewhere comes first.
                if let (Some(idx), Some(ast)) = (self.root_modules.get(name), &self.root_ast) {
                    let (idx, ast) = (*idx, Rc::clone(ast));
                    let problems = self.root_deferred.get_mut(idx).map(std::mem::take);
                    let problems = problems.unwrap_or_default();
                    let broken = problems.iter().any(Diagnostic::is_error);
                    self.diagnostics.extend(problems);
                    return if broken { None } else { self.top_level(name, &ast, idx) };
                }
                self.report(
                    Diagnostic::error("E4220", ident.span, format!("no module `{name}` was found"))
                        .label("imported here")
                        .note("modules are looked for in the folder of the specification, then in the folders of the module path, then among the built-in ones")
                        .help(format!("put `{name}.tla` beside the specification, or name its folder")),
                );
                None
            }
            Err(reason) => {
                self.report(
                    Diagnostic::error(
                        "E4220",
                        ident.span,
                        format!("module `{name}` cannot be read: {reason}"),
                    )
                    .label("imported here"),
                );
                None
            }
        }
    }

    fn note_import(&mut self, name: &Name, extends: bool) {
        let module = self.frame().module;
        let nested = self.spec.module(module).parent.is_some();
        let node = &mut self.graph[self.node];
        let list = if extends && !nested { &mut node.extends } else { &mut node.instances };
        if !list.contains(name) {
            list.push(name.clone());
        }
        let file = self.frame().ast.file;
        if let Some(loaded) = self.files.iter_mut().find(|it| it.file == file)
            && !loaded.imports.contains(name)
        {
            loaded.imports.push(name.clone());
        }
    }

    fn circular(&mut self, ident: &Ident) {
        let start = self.loading.iter().position(|(name, _)| *name == ident.name).unwrap_or(0);
        let mut chain: Vec<&str> =
            self.loading[start..].iter().map(|(name, _)| name.as_str()).collect();
        chain.push(&ident.name);
        let mut diagnostic = Diagnostic::error(
            "E4222",
            ident.span,
            format!("modules depend on each other in a circle: {}", chain.join(" -> ")),
        )
        .label("this closes the circle");
        for (name, span) in &self.loading[start + 1..] {
            if let Some(span) = span {
                diagnostic = diagnostic.also(*span, format!("`{name}` is imported here"));
            }
        }
        self.report(diagnostic.help("move what both need into a third module"));
        self.frame().info.incomplete = true;
    }

    /// The module an EXTENDS or INSTANCE names: a nested one that is visible, else a top-level one.
    pub(super) fn find_module(&mut self, ident: &Ident, extends: bool) -> Option<ModuleId> {
        if let Some(module) = self.frame().visible.get(&ident.name) {
            let module = *module;
            if self.modules[module.index()].incomplete {
                self.frame().info.incomplete = true;
            }
            return Some(module);
        }
        self.load(ident, extends)
    }

    /// Resolves one module, top-level or nested; its outer names are in scope.
    pub(super) fn module(
        &mut self,
        ast: &Rc<Ast>,
        module: &ast::Module,
        parent: Option<ModuleId>,
        visible: FxHashMap<Name, ModuleId>,
    ) -> ModuleId {
        let id = ModuleId(self.spec.modules.len() as u32);
        self.spec.modules.push(empty_module(&module.name.name, module.span, parent));
        self.modules.push(super::ModuleInfo::default());
        let outer = self.frame.replace(Box::new(Frame {
            module: id,
            ast: Rc::clone(ast),
            info: super::ModuleInfo::default(),
            visible,
            pending: vec![Vec::new()],
            group: Vec::new(),
            context: super::Context::default(),
        }));
        if let Some(outer) = &outer {
            let nested = parent.is_some();
            let incomplete = nested && outer.info.incomplete;
            let open = nested && (!outer.info.decls.is_empty() || outer.info.not_closed);
            let info = &mut self.frame().info;
            info.incomplete = incomplete;
            info.not_closed = open;
        }
        let mark = self.scope.mark();
        for extended in &module.extends {
            self.extend(extended);
        }
        for unit in &module.units {
            self.unit(unit);
        }
        self.end_recursive_section();
        self.scope.restore(mark);
        let frame = std::mem::replace(&mut self.frame, outer).expect("the module's own frame");
        let mut info = frame.info;
        info.closed = info.decls.is_empty() && !info.not_closed;
        self.spec.modules[id.index()].scope = self.meanings(&info);
        self.modules[id.index()] = info;
        self.completed.push(id);
        self.checks.push(Check::ModuleEnd(id));
        id
    }

    /// The sorted table of names for later phases.
    fn meanings(&self, info: &super::ModuleInfo) -> Vec<(Name, Meaning)> {
        let mut scope: Vec<(Name, Meaning)> = Vec::with_capacity(info.exports.len());
        for export in &info.exports {
            let meaning = match &export.symbol {
                Symbol::Decl(id) => Meaning::Decl(*id),
                Symbol::Definition { path, id } => {
                    Meaning::Definition(DefinitionRef { path: path.to_vec(), definition: *id })
                }
                Symbol::Instance { path, id } => {
                    Meaning::Instance { path: path.to_vec(), instance: *id }
                }
                Symbol::Predefined(_) | Symbol::Local(_) | Symbol::Step(_) => continue,
            };
            scope.push((export.name.clone(), meaning));
        }
        for (name, module) in &info.nested {
            if !info.exports.iter().any(|it| it.name == *name) {
                scope.push((name.clone(), Meaning::Module(*module)));
            }
        }
        scope.sort_by(|a, b| a.0.cmp(&b.0));
        scope.dedup_by(|a, b| a.0 == b.0);
        scope
    }

    /// One module of an EXTENDS.
    fn extend(&mut self, ident: &Ident) {
        let Some(module) = self.find_module(ident, true) else { return };
        let own = self.frame().module;
        if !self.spec.modules[own.index()].extends.contains(&module) {
            self.spec.modules[own.index()].extends.push(module);
        }
        if self.frame().info.extended.contains(&module) {
            return;
        }
        let info = std::mem::take(&mut self.modules[module.index()]);
        for export in info.exports.iter().filter(|it| !it.local) {
            self.import(ident, export);
        }
        for decl in &info.decls {
            let frame = self.frame();
            if !frame.info.decls.contains(decl) {
                frame.info.decls.push(*decl);
            }
        }
        for (name, nested) in &info.nested {
            let frame = self.frame();
            frame.visible.insert(name.clone(), *nested);
            frame.info.nested.push((name.clone(), *nested));
        }
        for assumption in &info.assumptions {
            let frame = self.frame();
            if !frame.info.assumptions.iter().any(|it| it.body == assumption.body) {
                frame.info.assumptions.push(assumption.clone());
            }
        }
        let frame = self.frame();
        for it in info.extended.iter().chain([&module]) {
            if !frame.info.extended.contains(it) {
                frame.info.extended.push(*it);
            }
        }
        self.modules[module.index()] = info;
    }

    /// Brings one name of an extended module into scope.
    fn import(&mut self, module: &Ident, export: &Export) {
        let clash = match self.scope.get(&export.name) {
            None => None,
            Some(entry) if self.same(&entry.symbol, &export.symbol) => {
                self.export(export.clone());
                return;
            }
            Some(entry) => Some((entry.symbol.clone(), entry.span)),
        };
        if let Some((symbol, span)) = clash {
            let name = &export.name;
            if !self.clashes.insert((name.clone(), export.span)) {
                return;
            }
            let unifies = self.sort(&symbol) == self.sort(&export.symbol);
            let headline = format!("`{name}` of module `{}` clashes with another", module.name);
            let mut diagnostic = if unifies {
                Diagnostic::warning("W4800", module.span, headline)
                    .note(format!("the first meaning of `{name}` is used"))
            } else {
                Diagnostic::error("E4224", module.span, headline)
                    .note("one is declared and the other defined, so they cannot be one")
                    .help("rename one of them, or import one module with a named INSTANCE")
            }
            .label(format!("extended here, it brings a second `{name}`"))
            .also(export.span, "the second meaning");
            if let Some(span) = span {
                diagnostic = diagnostic.also(span, "the first meaning");
            }
            self.report(diagnostic);
            return;
        }
        self.scope.set(export.name.clone(), export.symbol.clone(), export.span);
        self.export(export.clone());
    }

    /// Adds a name to those of the module; a name that was LOCAL may become visible.
    pub(super) fn export(&mut self, export: Export) {
        let info = &mut self.frame().info;
        if let Some(idx) = info.index.get(&export.name) {
            info.exports[*idx].local &= export.local;
            return;
        }
        info.index.insert(export.name.clone(), info.exports.len());
        info.exports.push(export);
    }

    /// Whether two symbols are one and the same thing.
    pub(super) fn same(&self, a: &Symbol, b: &Symbol) -> bool {
        match (a, b) {
            (Symbol::Decl(a), Symbol::Decl(b)) => a == b,
            (
                Symbol::Definition { path: a_path, id: a },
                Symbol::Definition { path: b_path, id: b },
            ) => a == b && a_path == b_path,
            (
                Symbol::Instance { path: a_path, id: a },
                Symbol::Instance { path: b_path, id: b },
            ) => a == b && a_path == b_path,
            _ => false,
        }
    }

    /// Declared, defined, or a fact: symbols that agree in it are unified with a warning when they
    /// are extended.
    fn sort(&self, symbol: &Symbol) -> u8 {
        match symbol {
            Symbol::Decl(_) => 0,
            Symbol::Definition { id, .. } if self.facts.contains(id) => 1,
            Symbol::Definition { .. } | Symbol::Instance { .. } => 2,
            Symbol::Predefined(_) | Symbol::Local(_) | Symbol::Step(_) => 3,
        }
    }

    /// Kind and number of arguments: symbols that agree in it are unified with a warning.
    pub(super) fn shape(&self, symbol: &Symbol) -> (u8, usize) {
        match symbol {
            Symbol::Decl(id) => {
                let decl = self.spec.decl(*id);
                (decl.kind as u8, decl.arity as usize)
            }
            Symbol::Definition { id, .. } => (2, self.signatures[id.index()].len()),
            Symbol::Instance { .. } => (3, 0),
            Symbol::Predefined(it) => (4, it.arity()),
            Symbol::Local(id) => (5, self.spec.local(*id).arity as usize),
            Symbol::Step(_) => (6, 0),
        }
    }
}
