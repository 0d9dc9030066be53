//! A box whose type was forgotten: resources, locals of systems, values on their way to observers.
//!
//! Invariant: `live` means that the memory holds a value that `drop` may drop.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

#[derive(Debug)]
pub(crate) struct ErasedBox {
    ptr: NonNull<u8>,
    layout: Layout,
    drop: Option<unsafe fn(*mut u8)>,
    live: bool,
}

impl ErasedBox {
    /// Room for a value; `set_live` once it is written.
    pub(crate) fn room(layout: Layout, drop: Option<unsafe fn(*mut u8)>) -> Self {
        let ptr = if layout.size() == 0 {
            NonNull::without_provenance(
                std::num::NonZero::new(layout.align()).expect("alignments are not 0"),
            )
        } else {
            // SAFETY: the size is not 0.
            match NonNull::new(unsafe { alloc(layout) }) {
                Some(ptr) => ptr,
                None => handle_alloc_error(layout),
            }
        };
        ErasedBox { ptr, layout, drop, live: false }
    }
    pub(crate) fn new<T: 'static>(value: T) -> Self {
        unsafe fn drop_it<T>(value: *mut u8) {
            // SAFETY: `ErasedBox` calls it on its own live value.
            unsafe { value.cast::<T>().drop_in_place() }
        }
        let drop: Option<unsafe fn(*mut u8)> =
            if std::mem::needs_drop::<T>() { Some(drop_it::<T>) } else { None };
        let mut out = Self::room(Layout::new::<T>(), drop);
        // SAFETY: room for a `T` was made.
        unsafe { out.ptr.as_ptr().cast::<T>().write(value) };
        out.live = true;
        out
    }
    #[inline(always)]
    pub(crate) fn ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }
    /// Says that the memory holds a value now.
    ///
    /// # Safety
    /// It does, and `drop` fits it.
    pub(crate) unsafe fn set_live(&mut self) {
        self.live = true;
    }
    /// Says that the value was moved away.
    ///
    /// # Safety
    /// It was.
    pub(crate) unsafe fn forget(&mut self) {
        self.live = false;
    }
    /// Drops the value, keeps the room.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.live)
            && let Some(drop) = self.drop
        {
            // SAFETY: the value was live and is not any more.
            unsafe { drop(self.ptr.as_ptr()) };
        }
    }
}

impl Drop for ErasedBox {
    fn drop(&mut self) {
        self.clear();
        if self.layout.size() != 0 {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.ptr.as_ptr(), self.layout) };
        }
    }
}
