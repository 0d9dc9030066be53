//! Binding a configuration to a specification: what replaces constants and definitions.

use lockstep_semantic::config::{Config, ConfigValue, ConstantBinding, ConstantTarget};
use lockstep_semantic::hir::{
    DeclId, DeclKind, DefinitionId, DefinitionRef, ExprKind, InstanceId, Level, Meaning, ModuleId,
    Spec,
};
use lockstep_syntax::{Diagnostic, Severity, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowerer;
use super::env::Place;
use crate::ir::{Node, NodeId};
use crate::value::{Sym, Symbols};

/// What stands for a constant or a definition.
#[derive(Clone, Debug)]
pub(super) enum Replacement {
    /// A value.
    Value(Literal),
    /// A definition.
    Definition(DefinitionId),
    /// Values point by point.
    Points(Vec<(Vec<Literal>, Literal)>),
}

/// A value of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Int(i32),
    Bool(bool),
    Str(Sym),
    Model(crate::value::ModelId),
    Set(Vec<Literal>),
}

/// What the CONSTANT lines of a configuration mean.
#[derive(Default)]
pub(super) struct Bindings {
    decls: FxHashMap<DeclId, Replacement>,
    definitions: FxHashMap<DefinitionId, Replacement>,
    /// The instances through which the root module sees a replaced definition.
    paths: FxHashMap<DefinitionId, Vec<InstanceId>>,
    scoped_decls: FxHashMap<(ModuleId, DeclId), Replacement>,
    scoped_definitions: FxHashMap<(ModuleId, DefinitionId), Replacement>,
    pub(super) warnings: Vec<Diagnostic>,
}

enum Left {
    Decl(DeclId),
    /// A definition; where its name alone was given, the instances through which it is seen.
    Definition(DefinitionId, Option<Vec<InstanceId>>),
}

impl Bindings {
    /// Interns all names in TLC's order and resolves the CONSTANT lines.
    pub(super) fn new(
        spec: &Spec,
        config: &Config,
        options: &super::Options,
        root: ModuleId,
    ) -> Result<(Self, Symbols), Vec<Diagnostic>> {
        let mut symbols = Symbols::new();
        // The configuration is read first.
        intern_config(config, &mut symbols);
        for name in &spec.symbols {
            symbols.intern(name);
        }
        for expr in &spec.exprs {
            match &expr.kind {
                ExprKind::String(text) => {
                    symbols.intern(text);
                }
                ExprKind::Field { field, .. } => {
                    symbols.intern(field);
                }
                ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                    let names: Vec<Sym> =
                        fields.iter().map(|(name, _)| symbols.intern(name)).collect();
                    symbols.add_shape(&names);
                }
                _ => {}
            }
        }
        let mut this = Self::default();
        let mut errors = Vec::new();
        for binding in &config.constants {
            if let Err(error) = this.add(spec, config, root, binding, &mut symbols) {
                errors.push(error);
            }
        }
        if errors.is_empty() {
            this.check_complete(spec, &mut errors);
        }
        if errors.is_empty() && !options.allow_cyclic_redefinition {
            this.check_cycles(spec, config, &mut errors);
        }
        if errors.is_empty() { Ok((this, symbols)) } else { Err(errors) }
    }

    #[expect(clippy::result_large_err, reason = "built once a line of the configuration")]
    fn add(
        &mut self,
        spec: &Spec,
        config: &Config,
        root: ModuleId,
        binding: &ConstantBinding,
        symbols: &mut Symbols,
    ) -> Result<(), Diagnostic> {
        let name = binding.name.name.as_str();
        let span = binding.name.span;
        let module = match &binding.module {
            None => None,
            Some(module) => Some(spec.module_named(&module.name).ok_or_else(|| {
                Diagnostic::error(
                    "E2226",
                    module.span,
                    format!("the specification has no module {}", module.name),
                )
            })?),
        };
        let Some(left) =
            find_left(spec, module.unwrap_or(root), name).or_else(|| find_left(spec, root, name))
        else {
            if let ConstantTarget::Value(value) = &binding.to {
                // TLC lets a value pass whose name nothing declares. As `m = m` it makes a model
                // value that other lines use; anything else deserves a word.
                if *value != ConfigValue::ModelValue(name.into()) {
                    self.warnings.push(Diagnostic::warning(
                        "W2226",
                        span,
                        format!("{name} is not a constant or definition of the specification"),
                    ));
                }
                return Ok(());
            }
            return Err(Diagnostic::error(
                "E2226",
                span,
                format!("{name} is not a constant or definition of the specification"),
            ));
        };
        let arity = match &left {
            Left::Decl(decl) => spec.decl(*decl).arity as usize,
            Left::Definition(definition, _) => spec.definition(*definition).params.len(),
        };
        let replacement = match &binding.to {
            ConstantTarget::Value(value) => {
                if !has_order(value) {
                    return Err(Diagnostic::error(
                        "E1000",
                        span,
                        format!("the value of {name} has elements that cannot be compared"),
                    ));
                }
                let value = literal(value, symbols);
                match &binding.args {
                    None => {
                        if arity > 0 {
                            return Err(Diagnostic::error(
                                "E2225",
                                span,
                                format!("{name} takes {arity} arguments, so it cannot be a value"),
                            ));
                        }
                        Replacement::Value(value)
                    }
                    Some(args) => {
                        if arity != args.len() {
                            return Err(Diagnostic::error(
                                "E2225",
                                span,
                                format!("{name} takes {arity} arguments, not {}", args.len()),
                            ));
                        }
                        let args = args.iter().map(|arg| literal(arg, symbols)).collect();
                        Replacement::Points(vec![(args, value)])
                    }
                }
            }
            ConstantTarget::Definition(target) => 'target: {
                let found = module
                    .and_then(|module| find_target(spec, module, &target.name))
                    .or_else(|| find_target(spec, root, &target.name));
                // Another constant of the configuration stands for its value.
                let other = config.constants.iter().find(|it| {
                    it.name.name == target.name && it.args.is_none() && it.module.is_none()
                });
                if let (None, 0, Some(ConstantTarget::Value(value))) =
                    (found, arity, other.map(|it| &it.to))
                {
                    break 'target Replacement::Value(literal(value, symbols));
                }
                let Some(id) = found else {
                    return Err(Diagnostic::error(
                        "E2224",
                        target.span,
                        format!(
                            "{} is substituted for {name} but is not defined in the specification",
                            target.name
                        ),
                    ));
                };
                let definition = spec.definition(id);
                if definition.params.len() != arity {
                    return Err(Diagnostic::error(
                        "E2225",
                        target.span,
                        format!(
                            "{name} takes {arity} arguments but {} takes {}",
                            target.name,
                            definition.params.len()
                        ),
                    ));
                }
                if definition.level > Level::Constant && arity == 0 && matches!(left, Left::Decl(_))
                {
                    return Err(Diagnostic::error(
                        "E2281",
                        target.span,
                        format!(
                            "the constant {name} is replaced by {}, which is not constant",
                            target.name
                        ),
                    ));
                }
                Replacement::Definition(id)
            }
        };
        // What the module itself declares or defines is replaced wherever it is seen from; what it
        // imports, only inside of it.
        let module = module.filter(|module| match &left {
            Left::Decl(id) => spec.decl(*id).module != *module,
            Left::Definition(id, _) => spec.definition(*id).module != *module,
        });
        match (left, module) {
            (Left::Decl(id), None) => merge(self.decls.entry(id), replacement),
            (Left::Definition(id, path), None) => {
                // With a module named, all copies of its definition are meant.
                if let Some(path) = path.filter(|_| binding.module.is_none()) {
                    self.paths.insert(id, path);
                }
                merge(self.definitions.entry(id), replacement);
            }
            (Left::Decl(id), Some(module)) => {
                merge(self.scoped_decls.entry((module, id)), replacement);
            }
            (Left::Definition(id, _), Some(module)) => {
                merge(self.scoped_definitions.entry((module, id)), replacement);
            }
        }
        Ok(())
    }

    fn check_complete(&self, spec: &Spec, errors: &mut Vec<Diagnostic>) {
        for id in &spec.constants {
            let decl = spec.decl(*id);
            let scoped = self.scoped_decls.keys().any(|(_, it)| it == id);
            if !self.decls.contains_key(id) && !scoped {
                let text = format!("the constant {} is not assigned a value", decl.name);
                let help = if decl.arity == 0 {
                    format!("give it one in the model: CONSTANT {} = …", decl.name)
                } else {
                    format!("give it a definition in the model: CONSTANT {} <- …", decl.name)
                };
                errors.push(Diagnostic::error("E2222", decl.span, text).help(help));
            }
        }
    }

    /// A replacement must not need what it replaces.
    fn check_cycles(&self, spec: &Spec, config: &Config, errors: &mut Vec<Diagnostic>) {
        for (id, replacement) in &self.definitions_in_order() {
            let Replacement::Definition(target) = replacement else { continue };
            if self.mentions(spec, *target, *id) {
                let definition = spec.definition(*id);
                let span = config
                    .constants
                    .iter()
                    .find(|it| it.name.name == definition.name)
                    .map_or(definition.name_span, |it| it.span);
                errors.push(Diagnostic::error(
                    "E2223",
                    span,
                    format!(
                        "{} is replaced by {}, which is defined by means of {} itself",
                        definition.name,
                        spec.definition(*target).name,
                        definition.name
                    ),
                ));
            }
        }
    }

    /// Whether a name means a replaced definition: the one that the root module sees, not a copy of
    /// it made by another instance.
    fn is_replaced(&self, spec: &Spec, reference: &DefinitionRef) -> bool {
        match self.paths.get(&reference.definition) {
            Some(path) => *path == own_path(spec, reference),
            None => true,
        }
    }

    /// Whether a definition needs another one as it is replaced, directly or through others.
    fn mentions(&self, spec: &Spec, from: DefinitionId, wanted: DefinitionId) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![from];
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let definition = spec.definition(id);
            let module = &spec.module(definition.module).name;
            if crate::stdlib::native(module, &definition.name, definition.params.len()).is_some() {
                continue;
            }
            let mut found = false;
            super::walk::definitions_of(spec, definition.body, &mut |it| {
                found |= it.definition == wanted && self.is_replaced(spec, it);
                todo.push(it.definition);
            });
            if found {
                return true;
            }
        }
        false
    }

    fn definitions_in_order(&self) -> Vec<(DefinitionId, Replacement)> {
        let mut list: Vec<_> = self.definitions.keys().copied().collect::<Vec<DefinitionId>>();
        list.sort_unstable();
        list.into_iter()
            .filter_map(|id| self.definitions.get(&id).map(|it| (id, it.clone())))
            .collect()
    }
}

fn merge<K: std::hash::Hash + Eq>(
    entry: std::collections::hash_map::Entry<'_, K, Replacement>,
    new: Replacement,
) {
    use std::collections::hash_map::Entry;
    match entry {
        Entry::Occupied(mut old) => match (old.get_mut(), new) {
            (Replacement::Points(points), Replacement::Points(more)) => points.extend(more),
            (old, new) => *old = new,
        },
        Entry::Vacant(vacant) => {
            vacant.insert(new);
        }
    }
}

/// Names and values of the CONSTANT lines in order of occurrence; model values likewise.
fn intern_config(config: &Config, symbols: &mut Symbols) {
    fn intern(value: &ConfigValue, symbols: &mut Symbols) {
        match value {
            ConfigValue::ModelValue(name) => {
                symbols.intern(name);
                symbols.intern_model(name);
            }
            ConfigValue::String(text) => {
                symbols.intern(text);
            }
            ConfigValue::Set(items) => items.iter().for_each(|it| intern(it, symbols)),
            ConfigValue::Integer(_) | ConfigValue::Boolean(_) => {}
        }
    }
    for binding in &config.constants {
        symbols.intern(&binding.name.name);
        for arg in binding.args.iter().flatten() {
            intern(arg, symbols);
        }
        match &binding.to {
            ConstantTarget::Value(value) => intern(value, symbols),
            ConstantTarget::Definition(name) => {
                symbols.intern(&name.name);
            }
        }
    }
}

/// Whether the elements of all sets in a value can be put in order: all of one kind, besides model
/// values without a type.
fn has_order(value: &ConfigValue) -> bool {
    let ConfigValue::Set(items) = value else { return true };
    // A kind, and for typed model values the letter of the type.
    let kind = |value: &ConfigValue| match value {
        ConfigValue::Integer(_) => Some((0, None)),
        ConfigValue::String(_) => Some((1, None)),
        ConfigValue::Boolean(_) => Some((2, None)),
        ConfigValue::Set(_) => Some((3, None)),
        ConfigValue::ModelValue(name) => {
            let mut letters = name.chars();
            let first = letters.next();
            (name.len() > 2 && letters.next() == Some('_')).then_some((4, first))
        }
    };
    let mut kinds = items.iter().filter_map(kind);
    let first = kinds.next();
    kinds.all(|kind| Some(kind) == first) && items.iter().all(has_order)
}

fn literal(value: &ConfigValue, symbols: &mut Symbols) -> Literal {
    match value {
        ConfigValue::Integer(n) => {
            Literal::Int(i32::try_from(*n).unwrap_or(if *n < 0 { i32::MIN } else { i32::MAX }))
        }
        ConfigValue::String(text) => Literal::Str(symbols.intern(text)),
        ConfigValue::Boolean(b) => Literal::Bool(*b),
        ConfigValue::Set(items) => {
            Literal::Set(items.iter().map(|it| literal(it, symbols)).collect())
        }
        ConfigValue::ModelValue(name) => Literal::Model(symbols.intern_model(name)),
    }
}

/// The left side of a CONSTANT line, possibly `A!B!c`.
fn find_left(spec: &Spec, module: ModuleId, name: &str) -> Option<Left> {
    let mut module = module;
    let mut steps: Vec<&str> = name.split('!').collect();
    let last = steps.pop()?;
    for step in steps {
        module = match spec.lookup(module, step)? {
            Meaning::Instance { instance, .. } => spec.instance(*instance).target,
            Meaning::Module(id) => *id,
            Meaning::Decl(_) | Meaning::Definition(_) => return None,
        };
    }
    let alone = !name.contains('!');
    match spec.lookup(module, last)? {
        Meaning::Decl(id) if spec.decl(*id).kind == DeclKind::Constant => Some(Left::Decl(*id)),
        Meaning::Decl(_) => None,
        Meaning::Definition(reference) => {
            let path = alone.then(|| own_path(spec, reference));
            Some(Left::Definition(reference.definition, path))
        }
        Meaning::Instance { .. } | Meaning::Module(_) => None,
    }
}

fn find_target(spec: &Spec, module: ModuleId, name: &str) -> Option<DefinitionId> {
    match spec.lookup(module, name)? {
        Meaning::Definition(reference) => Some(reference.definition),
        Meaning::Decl(_) | Meaning::Instance { .. } | Meaning::Module(_) => None,
    }
}

/// The instances that make a definition of their own of what a name refers to. An unnamed, exported
/// instance of a module without constants and variables hands on what the module has.
fn own_path(spec: &Spec, reference: &DefinitionRef) -> Vec<InstanceId> {
    let copies = |id: &InstanceId| {
        let instance = spec.instance(*id);
        instance.name.is_some() || instance.local || !instance.substitutions.is_empty()
    };
    reference.path.iter().map(|step| step.instance).filter(copies).collect()
}

impl<'a> Lowerer<'a> {
    /// The number of a string.
    pub(super) fn symbol(&mut self, text: &str) -> Sym {
        match self.program.symbols.find(text) {
            Some(sym) => sym,
            None => std::sync::Arc::make_mut(&mut self.program.symbols).intern(text),
        }
    }

    /// What the configuration puts for a constant, as seen from a place.
    pub(super) fn replacement_of_decl(&self, id: DeclId, place: &Place<'a>) -> Option<Replacement> {
        let scoped = self.bindings.scoped_decls.get(&(place.module, id));
        scoped.or_else(|| self.bindings.decls.get(&id)).cloned()
    }

    /// What the configuration puts for a definition, as seen from a place.
    pub(super) fn replacement_of_definition(
        &self,
        reference: &DefinitionRef,
        place: &Place<'a>,
    ) -> Option<Replacement> {
        let id = reference.definition;
        if self.replacing.contains(&id) {
            return None;
        }
        if let Some(scoped) = self.bindings.scoped_definitions.get(&(place.module, id)) {
            return Some(scoped.clone());
        }
        let replacement = self.bindings.definitions.get(&id)?;
        self.bindings.is_replaced(self.spec, reference).then(|| replacement.clone())
    }

    /// A value of the configuration as a node.
    pub(super) fn literal(&mut self, value: &Literal, span: Span) -> NodeId {
        let node = match value {
            Literal::Int(n) => Node::Int(*n),
            Literal::Bool(b) => Node::Bool(*b),
            Literal::Str(sym) => Node::Str(*sym),
            Literal::Model(id) => Node::Model(*id),
            Literal::Set(items) => {
                Node::SetEnum(items.iter().map(|it| self.literal(it, span)).collect())
            }
        };
        self.node(node, span)
    }

    /// An operator given point by point.
    pub(super) fn pointwise(
        &mut self,
        name: &str,
        args: Vec<NodeId>,
        points: &[(Vec<Literal>, Literal)],
        span: Span,
    ) -> NodeId {
        let points = points
            .iter()
            .map(|(args, value)| {
                let args = args
                    .iter()
                    .map(|it| {
                        let node = self.literal(it, span);
                        self.hoisted(node)
                    })
                    .collect();
                let value = self.literal(value, span);
                (args, self.hoisted(value))
            })
            .collect();
        self.node(Node::Pointwise { name: name.into(), args: args.into(), points }, span)
    }

    /// Reports a name of the configuration that means nothing.
    pub(super) fn unknown(&mut self, code: &'static str, span: Span, text: String) {
        self.errors.push(Diagnostic::new(code, Severity::Error, Some(span), text));
    }
}
