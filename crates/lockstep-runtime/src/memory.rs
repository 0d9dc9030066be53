//! A region of zeroed memory in huge pages, where the system has them.
//!
//! On Linux: an anonymous mapping aligned to 2 MiB with `MADV_HUGEPAGE`, which halves the cost of a random access to a
//! table of a gigabyte. Elsewhere: the allocator's zeroed memory. Pages are had when they are first touched.
//!
//! Invariant: the region is aligned to a cache line, its bytes are zero until somebody writes them, and it stays where it
//! is until it is dropped.

/// Which pages a region is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pages {
    /// Huge ones where the system has them and the region is large enough.
    #[default]
    Huge,
    /// The usual ones: for measuring what the huge ones bring.
    Small,
}

/// The system gave no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the system gave no more memory")
    }
}

impl std::error::Error for OutOfMemory {}

#[cfg(not(loom))]
pub(crate) use imp::Region;

#[cfg(all(not(loom), target_os = "linux", not(miri)))]
mod imp {
    use super::{OutOfMemory, Pages};

    const HUGE: usize = 2 << 20;

    #[derive(Debug)]
    pub(crate) struct Region {
        start: *mut u8,
        bytes: usize,
    }

    // SAFETY: a region is plain memory; who may touch what is the business of those who hold its address.
    unsafe impl Send for Region {}
    // SAFETY: as above; through a shared reference only the address can be had.
    unsafe impl Sync for Region {}

    impl Region {
        pub(crate) fn new(bytes: usize, pages: Pages) -> Result<Region, OutOfMemory> {
            let bytes = bytes.max(1).checked_next_multiple_of(4096).ok_or(OutOfMemory)?;
            let huge = bytes >= 2 * HUGE && pages == Pages::Huge;
            let bytes =
                if huge { bytes.checked_next_multiple_of(HUGE).ok_or(OutOfMemory)? } else { bytes };
            let slack = if huge { HUGE } else { 0 };
            let mapped = bytes.checked_add(slack).ok_or(OutOfMemory)?;
            // SAFETY: an anonymous mapping at an address of the system's choice touches nothing that exists.
            let raw = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    mapped,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
            if raw == libc::MAP_FAILED {
                return Err(OutOfMemory);
            }
            let raw = raw.cast::<u8>();
            let before = if huge { raw.align_offset(HUGE) } else { 0 };
            // SAFETY: `before` is at most `slack`, so it stays within the mapping.
            let start = unsafe { raw.add(before) };
            // SAFETY: what is unmapped is the part of this mapping before `start` and the part after `start + bytes`;
            // nobody knows of them yet.
            unsafe {
                if before > 0 {
                    libc::munmap(raw.cast(), before);
                }
                if slack > before {
                    libc::munmap(start.add(bytes).cast(), slack - before);
                }
                if huge {
                    // Advice only: where it is refused, the pages are small and everything is slower.
                    libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
                }
            }
            Ok(Region { start, bytes })
        }

        pub(crate) fn start(&self) -> *mut u8 {
            self.start
        }

        /// Gives the pages that lie wholly within the range back to the system.
        ///
        /// # Safety
        /// Nobody reads or writes these bytes any more.
        pub(crate) unsafe fn release(&self, from: usize, to: usize) {
            let from = from.next_multiple_of(4096);
            let to = to.min(self.bytes) & !4095;
            if from < to {
                // SAFETY: the range lies within our mapping, and by contract nobody needs its contents.
                unsafe {
                    libc::madvise(self.start.add(from).cast(), to - from, libc::MADV_DONTNEED);
                }
            }
        }
    }

    impl Drop for Region {
        fn drop(&mut self) {
            // SAFETY: this is the mapping made in `new`, and `&mut self` says that nobody else uses it.
            unsafe {
                libc::munmap(self.start.cast(), self.bytes);
            }
        }
    }
}

#[cfg(all(not(loom), any(not(target_os = "linux"), miri)))]
mod imp {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::{OutOfMemory, Pages};

    #[derive(Debug)]
    pub(crate) struct Region {
        start: *mut u8,
        layout: Layout,
    }

    // SAFETY: a region is plain memory; who may touch what is the business of those who hold its address.
    unsafe impl Send for Region {}
    // SAFETY: as above; through a shared reference only the address can be had.
    unsafe impl Sync for Region {}

    impl Region {
        pub(crate) fn new(bytes: usize, _pages: Pages) -> Result<Region, OutOfMemory> {
            let layout = Layout::from_size_align(bytes.max(1), 64).map_err(|_| OutOfMemory)?;
            // SAFETY: the size is not zero.
            let start = unsafe { alloc_zeroed(layout) };
            if start.is_null() { Err(OutOfMemory) } else { Ok(Region { start, layout }) }
        }

        pub(crate) fn start(&self) -> *mut u8 {
            self.start
        }

        /// Would give pages back to the system; this one cannot.
        ///
        /// # Safety
        /// Nobody reads or writes these bytes any more.
        pub(crate) unsafe fn release(&self, _from: usize, _to: usize) {}
    }

    impl Drop for Region {
        fn drop(&mut self) {
            // SAFETY: allocated in `new` with this layout, and nobody else uses it.
            unsafe { dealloc(self.start, self.layout) };
        }
    }
}
