//! gatelens: the terminal, the window, the page.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match gatelens::cli::run() {
        gatelens::cli::Request::Exit(code) => code,
        gatelens::cli::Request::Window { link } => window(link),
    }
}

#[cfg(all(not(target_arch = "wasm32"), feature = "app"))]
fn window(link: Option<String>) -> std::process::ExitCode {
    env_logger::init();
    let opened = std::rc::Rc::new(std::cell::Cell::new(false));
    let mut problems = vec![];
    for renderer in renderers() {
        let viewport = eframe::egui::ViewportBuilder::default()
            .with_inner_size([1280.0, 800.0])
            .with_app_id("gatelens");
        let options =
            eframe::NativeOptions { viewport, renderer, dithering: false, ..Default::default() };
        let (link, open) = (link.clone(), std::rc::Rc::clone(&opened));
        let create = move |cc: &eframe::CreationContext<'_>| {
            open.set(true);
            Ok(Box::new(gatelens::app::App::new(cc, link.as_deref())?) as Box<dyn eframe::App>)
        };
        match eframe::run_native("gatelens", options, Box::new(create)) {
            Ok(()) => return std::process::ExitCode::SUCCESS,
            Err(problem) => problems.push(format!("{problem} (drawing with {renderer})")),
        }
        if opened.get() {
            break; // a window that was there is not opened a second time
        }
    }
    eprintln!(
        "gatelens: the window could not open: {}\nIn the terminal: gatelens train --help",
        problems.join("; ")
    );
    std::process::ExitCode::FAILURE
}

/// What can draw the window, the best first. Where a CPU stands in for the GPU, OpenGL takes a
/// quarter of Vulkan's time: software runs every branch of a shader at every pixel, and egui's WGSL
/// has branches for options that its GLSL compiles away.
#[cfg(all(target_os = "linux", feature = "app"))]
fn renderers() -> Vec<eframe::Renderer> {
    use eframe::Renderer::{Glow, Wgpu};
    let gpu = gatelens::backend::gpu::enumerate().iter().any(|device| !device.software);
    if gpu { vec![Wgpu] } else { vec![Glow, Wgpu] }
}

#[cfg(all(not(any(target_os = "linux", target_arch = "wasm32")), feature = "app"))]
fn renderers() -> Vec<eframe::Renderer> {
    vec![eframe::Renderer::Wgpu]
}

#[cfg(all(not(target_arch = "wasm32"), not(feature = "app")))]
fn window(_link: Option<String>) -> std::process::ExitCode {
    eprintln!("gatelens: this build has no window; see gatelens train --help");
    std::process::ExitCode::FAILURE
}

#[cfg(target_arch = "wasm32")]
fn main() {
    page::main();
}

/// The page: starts the app on its canvas, and answers the page's script. In a worker: serves the
/// page's commands.
#[cfg(target_arch = "wasm32")]
mod page {
    use eframe::wasm_bindgen::{self, JsCast as _, prelude::*};
    use eframe::{WebLogger, WebOptions, WebRunner, web_sys};
    use gatelens::app::App;
    use gatelens::platform;

    thread_local! {
        /// The script's two functions have no object to belong to.
        static RUNNER: WebRunner = WebRunner::new();
    }

    #[wasm_bindgen]
    extern "C" {
        /// Says on the page why the program stopped.
        #[wasm_bindgen(js_namespace = globalThis, js_name = gatelensFailed)]
        fn failed(text: &str);
    }

    pub fn main() {
        drop(WebLogger::init(log::LevelFilter::Warn));
        if platform::is_worker() {
            std::panic::set_hook(Box::new(|panic| failed(&panic.to_string())));
            return platform::serve_worker();
        }
        let runner = RUNNER.with(Clone::clone); // installs eframe's own panic hook
        let eframes = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            eframes(panic);
            failed(&panic.to_string());
        }));
        wasm_bindgen_futures::spawn_local(async move {
            let canvas = web_sys::window()
                .and_then(|window| window.document()?.get_element_by_id("gatelens"));
            let Some(canvas) =
                canvas.and_then(|element| element.dyn_into::<web_sys::HtmlCanvasElement>().ok())
            else {
                return failed("the page has no canvas named gatelens");
            };
            let hash = platform::hash();
            let app = Box::new(
                move |cc: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> {
                    Ok(Box::new(App::new(cc, hash.as_deref())?))
                },
            );
            // A renderer in software has no time to dither.
            let options = WebOptions { dithering: false, ..WebOptions::default() };
            if let Err(problem) = runner.start(canvas, options, app).await {
                failed(&format!("{problem:?}"));
            }
        });
    }

    /// What `gatelens.status()` returns, as JSON.
    #[wasm_bindgen]
    pub fn gatelens_status() -> String {
        RUNNER.with(|runner| {
            runner.app_mut::<App>().map_or_else(|| "{}".into(), |app| app.status().to_string())
        })
    }

    /// What `gatelens.command(…)` does; the object comes as JSON.
    #[wasm_bindgen]
    pub fn gatelens_command(json: &str) {
        RUNNER.with(|runner| {
            if let Some(mut app) = runner.app_mut::<App>() {
                app.command(json);
            }
        });
    }
}
