//! Two players over loopback UDP with lost and delayed packets: each predicts the other, rolls back, and both end with equal hashes.
//!
//! `rollback_udp [FRAMES] [LOSS_PERCENT] [DELAY_FRAMES]`
#![allow(clippy::print_stdout, missing_docs, reason = "an example")]

use lockstep_ecs::time::{FrameHash, Session};
use lockstep_ecs::*;
use std::collections::VecDeque;
use std::net::UdpSocket;

#[derive(Component, Plain, Clone, Copy, Debug)]
struct Ship {
    player: u32,
    at: [i32; 2],
}
#[derive(Component, Plain, Clone, Copy, Debug)]
struct Shot {
    step: [i32; 2],
    left: u32,
}
#[derive(Component, Plain, Clone, Copy, Debug)]
struct At([i32; 2]);
#[derive(Resource, Plain, Clone, Debug)]
struct Inputs(Vec<u32>);

const STEPS: [[i32; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

fn steer(mut q: Query<&mut Ship>, inputs: Res<Inputs>, mut c: Commands) {
    for ship in &mut q {
        let input = inputs.0[ship.player as usize];
        let step = STEPS[(input & 3) as usize];
        ship.at = [ship.at[0] + step[0], ship.at[1] + step[1]];
        if input & 4 != 0 {
            c.spawn((At(ship.at), Shot { step, left: 20 }));
        }
    }
}
fn shots(mut q: Query<(Entity, &mut At, &mut Shot)>, mut c: Commands) {
    q.par_for_each_with(&mut c, |c, (e, at, shot)| {
        at.0 = [at.0[0] + 3 * shot.step[0], at.0[1] + 3 * shot.step[1]];
        shot.left -= 1;
        if shot.left == 0 {
            c.despawn(e);
        }
    });
}

struct Peer {
    me: usize,
    socket: UdpSocket,
    world: World,
    schedule: Schedule,
    session: Session<u32>,
    mine: Vec<u32>,
    /// The other's frames that have arrived without a gap.
    have: u64,
    /// Our frames that the other has said to have.
    acknowledged: u64,
    /// Packets held back: the frame they leave in.
    held: VecDeque<(u64, Vec<u8>)>,
    random: u64,
}

impl Peer {
    fn new(me: usize, socket: UdpSocket) -> Self {
        let mut world = World::new();
        world.register::<Shot>();
        world.register::<At>();
        world.insert_resource(Inputs(vec![0, 0]));
        for player in 0..2 {
            world.spawn(Ship { player, at: [player as i32 * 100, 0] });
        }
        let mut schedule = Schedule::default();
        schedule.add(steer);
        schedule.add(shots).after("steer");
        let session =
            Session::new(2, 60, |w: &mut World, i: &[u32]| w.insert_resource(Inputs(i.to_vec())));
        Peer {
            me,
            socket,
            world,
            schedule,
            session,
            mine: Vec::new(),
            have: 0,
            acknowledged: 0,
            held: VecDeque::new(),
            random: me as u64 + 77,
        }
    }
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.random >> 33
    }
    /// All inputs the other may lack, with what we have of theirs.
    fn send(&mut self, now: u64, loss: u64, delay: u64) {
        let mut packet = Vec::new();
        (self.have, self.acknowledged).encode(&mut packet);
        self.mine[self.acknowledged as usize..].to_vec().encode(&mut packet);
        if self.random() % 100 >= loss {
            let late = now + self.random() % (delay + 1);
            self.held.push_back((late, packet));
        }
        for _ in 0..self.held.len() {
            if let Some((at, packet)) = self.held.pop_front() {
                if at <= now {
                    let _ = self.socket.send(&packet);
                } else {
                    self.held.push_back((at, packet));
                }
            }
        }
    }
    fn receive(&mut self) {
        let mut buffer = [0; 65536];
        while let Ok(n) = self.socket.recv(&mut buffer) {
            let mut r = Reader::new(&buffer[..n]);
            let Ok((have, first)) = <(u64, u64)>::decode(&mut r) else { continue };
            let Ok(inputs) = Vec::<u32>::decode(&mut r) else { continue };
            self.acknowledged = self.acknowledged.max(have);
            for (k, input) in inputs.into_iter().enumerate() {
                let frame = first + k as u64;
                if frame == self.have {
                    self.session.add_input(1 - self.me, frame, input).expect("within the window");
                    self.have += 1;
                }
            }
        }
    }
    fn frame(&mut self, now: u64, frames: u64, loss: u64, delay: u64) {
        self.receive();
        // Nobody runs further ahead than the window can take back.
        if self.session.frame() < frames && self.session.frame() < self.have + 50 {
            let input = (self.random() & 7) as u32;
            self.session.add_input(self.me, self.session.frame(), input).expect("our own frame");
            self.mine.push(input);
            self.session
                .advance(&mut self.world, &mut self.schedule)
                .expect("the game does not fail");
        }
        self.send(now, loss, delay);
    }
}

fn main() {
    let args: Result<Vec<u64>, _> = std::env::args().skip(1).map(|it| it.parse()).collect();
    let Ok(args) = args else {
        println!("usage: rollback_udp [FRAMES] [LOSS_PERCENT] [DELAY_FRAMES]");
        return;
    };
    let arg = |at: usize, otherwise: u64| args.get(at).copied().unwrap_or(otherwise);
    let (frames, loss, delay) = (arg(0, 600), arg(1, 20), arg(2, 8));
    let open = || UdpSocket::bind("127.0.0.1:0").expect("a loopback socket");
    let (a, b) = (open(), open());
    a.connect(b.local_addr().expect("bound")).expect("loopback");
    b.connect(a.local_addr().expect("bound")).expect("loopback");
    for s in [&a, &b] {
        s.set_nonblocking(true).expect("a socket option");
    }
    let mut peers = [Peer::new(0, a), Peer::new(1, b)];
    let mut now = 0;
    while peers.iter().any(|p| p.session.frame() < frames || p.have < frames) {
        for p in &mut peers {
            p.frame(now, frames, loss, delay);
        }
        now += 1;
        assert!(now < frames * 50, "the network is too bad to finish");
    }
    let mut last = Vec::new();
    for p in &mut peers {
        p.session.correct(&mut p.world, &mut p.schedule).expect("the game does not fail");
        println!("player {}: {:?}, {} entities", p.me, p.session.stats(), p.world.entity_count());
        last.push(p.session.hash(frames - 1));
    }
    println!("frame {}: {:?}", frames - 1, last[0]);
    assert!(matches!(last[0], Some(FrameHash::Confirmed(_))) && last[0] == last[1], "{last:?}");
    println!("equal");
}
