//! Is the specification symmetric under its SYMMETRY? Nobody proves it; a wrong one hides states, and a search that passes
//! says nothing then.
//!
//! Some states (the first ones, and those of a long walk) are looked at with their permutations: the same must be initial,
//! the same predicates must hold, and what follows must be what follows the state itself, permuted. What differs is a fact about the
//! specification, with the state that shows it; that nothing differs is no proof.
//!
//! Invariant: what is looked at depends on the specification alone. Source: Specifying Systems §14.3.3; C. N. Ip and D. L.
//! Dill, "Better verification through symmetry", 1996, for what symmetry asks of a system.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use lockstep_eval::error::EvalResult;
use lockstep_eval::value::{ModelId, Value, Warning, permute, to_text};
use lockstep_eval::{Evaluator, State};

/// TLC's number for messages without one of their own.
const GENERAL: u32 = 1000;
/// Permuted states whose successors are computed at most.
const BUDGET: usize = 200;
/// Of them at most so many for one state.
const EACH: usize = 4;
/// Initial states that are looked at most.
const INITIAL: usize = 500;

/// What shows that the specification is not symmetric, if something was found.
pub(crate) fn asymmetry(evaluator: &mut Evaluator) -> Option<Warning> {
    let program = evaluator.program().clone();
    let symmetry = program.symmetry.as_ref()?;
    let impure = program.init.iter().chain(&program.actions).any(|it| it.impure);
    if impure {
        return None;
    }
    // What cannot be evaluated is the search's to report.
    let why = search(evaluator).ok()??;
    // The look must leave nothing behind that the report of the search would show.
    evaluator.ctx().output.clear();
    Some(Warning {
        code: GENERAL,
        message: format!(
            "The specification is not symmetric under {}, so states may have been left out: {why}",
            symmetry.name
        ),
        span: Some(symmetry.span),
    })
}

fn permuted(evaluator: &mut Evaluator, state: &State, renaming: &[ModelId]) -> EvalResult<State> {
    let ctx = evaluator.ctx();
    let values: EvalResult<Rc<[Value]>> =
        state.values().iter().map(|value| permute(ctx, value, renaming)).collect();
    Ok(State::new(values?))
}

fn bytes(evaluator: &mut Evaluator, state: &State) -> EvalResult<Vec<u8>> {
    let mut bytes = Vec::new();
    evaluator.encode_state(state, &mut bytes)?;
    Ok(bytes)
}

/// What follows a state.
fn next_of(evaluator: &mut Evaluator, state: &State) -> EvalResult<Vec<State>> {
    let mut states = Vec::new();
    evaluator.successors(state, &mut |_, next| {
        states.push(next);
        true
    })?;
    Ok(states)
}

/// The bytes of states, permuted if there is a permutation.
fn all_bytes(
    evaluator: &mut Evaluator,
    states: &[State],
    renaming: Option<&[ModelId]>,
) -> EvalResult<BTreeSet<Vec<u8>>> {
    let mut all = BTreeSet::new();
    for state in states {
        let state = match renaming {
            Some(renaming) => permuted(evaluator, state, renaming)?,
            None => state.clone(),
        };
        all.insert(bytes(evaluator, &state)?);
    }
    Ok(all)
}

/// The model values that a permutation moves, as text.
fn moves(evaluator: &mut Evaluator, renaming: &[ModelId]) -> String {
    let ctx = evaluator.ctx();
    let name = |id: usize| ctx.model_name(ModelId(id as u32)).to_string();
    let moved = renaming.iter().enumerate().filter(|it| it.1.0 as usize != it.0);
    moved
        .map(|(from, to)| format!("{} for {}", name(to.0 as usize), name(from)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn shown(evaluator: &mut Evaluator, state: &State) -> String {
    let program = evaluator.program().clone();
    let ctx = evaluator.ctx();
    let parts = program.variables.iter().zip(state.values().iter());
    parts
        .map(|(it, value)| format!("{} = {}", it.name, to_text(ctx, value)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn search(evaluator: &mut Evaluator) -> EvalResult<Option<String>> {
    let program = evaluator.program().clone();
    let permutations = evaluator.permutations()?;
    if permutations.is_empty() {
        return Ok(None);
    }
    let mut initial = Vec::new();
    evaluator.initial_states(&mut |state| {
        initial.push(state);
        initial.len() <= INITIAL
    })?;
    if initial.len() <= INITIAL {
        let all = all_bytes(evaluator, &initial, None)?;
        for state in &initial {
            for renaming in permutations.iter().take(EACH) {
                let other = permuted(evaluator, state, renaming)?;
                if !all.contains(&bytes(evaluator, &other)?) {
                    let (with, state) = (moves(evaluator, renaming), shown(evaluator, state));
                    return Ok(Some(format!("with {with} this initial state is none: {state}")));
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut waiting: VecDeque<State> = VecDeque::new();
    for state in initial {
        if seen.insert(evaluator.fingerprint(&state)?) && waiting.len() < BUDGET {
            waiting.push_back(state);
        }
    }
    let mut spent = 0;
    while spent < BUDGET {
        // By turns the first and the last one found: near states, and far ones.
        let next =
            if (spent / EACH).is_multiple_of(2) { waiting.pop_front() } else { waiting.pop_back() };
        let Some(state) = next else { break };
        let states = next_of(evaluator, &state)?;
        // Not always the same permutations.
        let from = spent % permutations.len();
        let chosen = permutations.iter().cycle().skip(from).take(permutations.len().min(EACH));
        for renaming in chosen {
            spent += 1;
            let other = permuted(evaluator, &state, renaming)?;
            for invariant in &program.invariants {
                if evaluator.holds_entry(&invariant.entry, &state)?
                    != evaluator.holds_entry(&invariant.entry, &other)?
                {
                    let (with, state) = (moves(evaluator, renaming), shown(evaluator, &state));
                    let name = &invariant.name;
                    return Ok(Some(format!(
                        "with {with} the invariant {name} has another value in the state {state}"
                    )));
                }
            }
            let after = next_of(evaluator, &other)?;
            if all_bytes(evaluator, &after, None)? != all_bytes(evaluator, &states, Some(renaming))?
            {
                let (with, state) = (moves(evaluator, renaming), shown(evaluator, &state));
                return Ok(Some(format!("with {with} other states follow the state {state}")));
            }
        }
        for next in states {
            if waiting.len() < 10 * BUDGET && seen.insert(evaluator.fingerprint(&next)?) {
                waiting.push_back(next);
            }
        }
    }
    Ok(None)
}
