//! The components of all peers, so that no case differs by a type.

macro_rules! components {
    ($($n:ident($t:ty)),* $(,)?) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, bevy_ecs::component::Component, evenio::component::Component,
            flecs_ecs::macros::Component, shipyard::Component)]
        pub struct $n(pub $t);
    )*};
}
components!(
    Mat([f32; 16]),
    Pos([f32; 3]),
    Rot([f32; 3]),
    Vel([f32; 3]),
    Global([f32; 3]),
    Data(f32)
);
components!(A(f32), B(f32), C(f32), D(f32), E(f32));
components!(
    F0(f32),
    F1(f32),
    F2(f32),
    F3(f32),
    F4(f32),
    F5(f32),
    F6(f32),
    F7(f32),
    F8(f32),
    F9(f32),
    F10(f32),
    F11(f32),
    F12(f32),
    F13(f32),
    F14(f32),
    F15(f32),
    F16(f32),
    F17(f32),
    F18(f32),
    F19(f32),
    F20(f32),
    F21(f32),
    F22(f32),
    F23(f32),
    F24(f32),
    F25(f32),
);

/// Calls a macro with the 26 components of the fragmented case.
macro_rules! fragments {
    ($m:ident) => {
        $m!(F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24 F25)
    };
}
pub(crate) use fragments;

pub const P: Pos = Pos(crate::cases::P);
pub const R: Rot = Rot(crate::cases::R);
pub const V: Vel = Vel(crate::cases::V);
pub fn mat() -> Mat {
    Mat(crate::cases::matrix())
}
pub fn step(p: &mut Pos, v: &Vel) {
    crate::cases::step(&mut p.0, &v.0);
}
pub fn heavy(m: &mut Mat, p: &mut Pos) {
    crate::cases::heavy(&mut m.0, &mut p.0);
}
/// What a position adds to a checksum.
pub fn weigh(p: &Pos) -> f64 {
    crate::cases::weigh(&p.0)
}
/// Ten thousand, or a million for the big case.
pub fn rows(case: &str) -> usize {
    if case.ends_with("1m") { 1_000_000 } else { 10_000 }
}
