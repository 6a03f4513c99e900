//! gatelens: the window, the terminal, the page.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match gatelens::cli::run() {
        gatelens::cli::Request::Exit(code) => code,
        gatelens::cli::Request::Window => std::process::ExitCode::SUCCESS,
    }
}
