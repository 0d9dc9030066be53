//! Functions as systems.
//!
//! Invariant: a function is called with parameters made for this run; nothing outlives the call.

use super::param::{SystemMeta, SystemParam};
use super::{CommitPhase, RunContext, System};
use crate::query::Access;
use crate::world::World;
use std::marker::PhantomData;

/// A function whose arguments are all [`SystemParam`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "a system is a function of at most 16 parameters, each a Query, Res, ResMut, Commands, EventReader, EventWriter, Local, Removed or NonSend; or a function of `&mut World`"
)]
pub trait SystemFn<Marker>: Send + 'static {
    /// All parameters.
    type Param: SystemParam;
    /// What it returns.
    type Out;
    /// Refuses, while compiling, parameters that would alias.
    const CHECK: ();
    /// Calls the function.
    fn call(&mut self, param: <Self::Param as SystemParam>::Item<'_, '_>) -> Self::Out;
}

macro_rules! functions {
    ($($($t:ident $i:tt),*;)*) => {$(
        #[allow(non_snake_case, unused_variables, clippy::too_many_arguments, reason = "the macro covers all arities")]
        impl<Func, Out, $($t: SystemParam),*> SystemFn<fn($($t,)*) -> Out> for Func
        where
            Func: Send + 'static,
            for<'a> &'a mut Func: FnMut($($t),*) -> Out + FnMut($($t::Item<'_, '_>),*) -> Out,
        {
            type Param = ($($t,)*);
            type Out = Out;
            const CHECK: () = {
                let terms: &[crate::query::Terms] = &[$($t::TERMS),*];
                let mut i = 0;
                while i < terms.len() {
                    let mut j = 0;
                    while j < i {
                        terms[i].assert_disjoint(&terms[j]);
                        j += 1;
                    }
                    i += 1;
                }
            };
            #[inline]
            fn call(&mut self, param: <($($t,)*) as SystemParam>::Item<'_, '_>) -> Out {
                #[inline(always)]
                fn inner<Out, $($t),*>(mut f: impl FnMut($($t),*) -> Out, $($t: $t),*) -> Out {
                    f($($t),*)
                }
                let ($($t,)*) = param;
                inner(self, $($t),*)
            }
        }
    )*};
}
functions! {
    ;
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15;
}

struct FunctionSystem<M, F: SystemFn<M>> {
    function: F,
    name: String,
    state: Option<<F::Param as SystemParam>::State>,
    last_run: *mut u64,
    own_last_run: u64,
    marker: PhantomData<fn() -> M>,
}

// SAFETY: the function and the state are `Send`; `last_run` points to a cell that belongs to this system alone.
unsafe impl<M, F: SystemFn<M>> Send for FunctionSystem<M, F> {}

impl<M: 'static, F: SystemFn<M>> System for FunctionSystem<M, F> {
    type Out = F::Out;
    fn name(&self) -> &str {
        &self.name
    }
    fn init(&mut self, world: &mut World, index: u32, key: &str) -> Result<Access, String> {
        let mut meta = SystemMeta {
            index,
            key: key.to_owned(),
            access: Access::default(),
            next_cell: 0,
            next_commands: 0,
            failure: None,
        };
        let state = F::Param::init(world, &mut meta);
        if let Some(failure) = meta.failure {
            return Err(failure);
        }
        if let Some(clash) = meta.access.own_clash() {
            return Err(format!(
                "two parameters touch {} and one writes it",
                crate::schedule::describe_conflict(world, clash)
            ));
        }
        self.state = Some(state);
        self.last_run = world.cells.open(format!("{key}/last-run"), 0u64);
        meta.access.seal();
        Ok(meta.access)
    }
    #[inline]
    unsafe fn run(&mut self, context: &RunContext<'_>) -> F::Out {
        let state = self.state.as_mut().expect("made ready before it runs");
        // SAFETY: the contract is the same.
        let param = unsafe { F::Param::get(state, context) };
        self.function.call(param)
    }
    #[inline]
    fn last_run(&mut self) -> &mut u64 {
        if self.last_run.is_null() {
            return &mut self.own_last_run;
        }
        // SAFETY: a cell of the world it was made ready for, which outlives its runs; ours alone.
        unsafe { &mut *self.last_run }
    }
    #[inline]
    fn spawned(&self) -> usize {
        self.state.as_ref().map_or(0, F::Param::spawned)
    }
    #[inline]
    fn overflowed(&self) -> bool {
        self.state.as_ref().is_some_and(F::Param::overflowed)
    }
    #[inline]
    fn commit(&mut self, world: &mut World, mut phase: CommitPhase<'_>) {
        if let Some(state) = &mut self.state {
            F::Param::commit(state, world, &mut phase);
        }
    }
}

struct ExclusiveSystem<F> {
    function: F,
    name: String,
    last_run: u64,
}

impl<F: FnMut(&mut World) + Send + 'static> System for ExclusiveSystem<F> {
    type Out = ();
    fn name(&self) -> &str {
        &self.name
    }
    fn init(&mut self, _: &mut World, _: u32, _: &str) -> Result<Access, String> {
        Ok(Access { exclusive: true, main_thread: true, ..Access::default() })
    }
    unsafe fn run(&mut self, context: &RunContext<'_>) {
        // SAFETY: an exclusive system runs alone; its context was made from a `&mut World`.
        (self.function)(unsafe { &mut *context.world.as_ptr() });
    }
    fn last_run(&mut self) -> &mut u64 {
        &mut self.last_run
    }
    fn spawned(&self) -> usize {
        0
    }
    fn overflowed(&self) -> bool {
        false
    }
    fn commit(&mut self, _: &mut World, _: CommitPhase<'_>) {}
}

/// What can become a system.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "a system is a function of at most 16 parameters, each a Query, Res, ResMut, Commands, EventReader, EventWriter, Local, Removed or NonSend; or a function of `&mut World`"
)]
pub trait IntoSystem<Marker>: Sized {
    /// What the system returns.
    type Out;
    /// The system.
    fn into_system(self) -> Box<dyn System<Out = Self::Out>>;
}

/// The last part of a function's path.
fn short_name<F>() -> String {
    let full = std::any::type_name::<F>();
    let cut = full.find('<').unwrap_or(full.len());
    let start = full[..cut].rfind("::").map_or(0, |i| i + 2);
    full[start..].to_owned()
}

#[doc(hidden)]
#[derive(Debug)]
pub struct IsFunction;
#[doc(hidden)]
#[derive(Debug)]
pub struct IsExclusive;

impl<M: 'static, F: SystemFn<M>> IntoSystem<(IsFunction, M)> for F {
    type Out = F::Out;
    fn into_system(self) -> Box<dyn System<Out = F::Out>> {
        const { F::CHECK };
        Box::new(FunctionSystem::<M, F> {
            function: self,
            name: short_name::<F>(),
            state: None,
            last_run: std::ptr::null_mut(),
            own_last_run: 0,
            marker: PhantomData,
        })
    }
}

impl<F: FnMut(&mut World) + Send + 'static> IntoSystem<IsExclusive> for F {
    type Out = ();
    fn into_system(self) -> Box<dyn System<Out = ()>> {
        Box::new(ExclusiveSystem { function: self, name: short_name::<F>(), last_run: 0 })
    }
}
