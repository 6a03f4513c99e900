//! A device for the GPU tests, or a visible skip.

use gatelens::backend::gpu::Context;

/// A device, or a printed skip; with REQUIRE_GPU=1 a missing device fails the test.
pub fn context() -> Option<Context> {
    match pollster::block_on(Context::open()) {
        Ok(context) => Some(context),
        Err(error) => {
            assert!(std::env::var("REQUIRE_GPU").is_err(), "REQUIRE_GPU is set, but {error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}
