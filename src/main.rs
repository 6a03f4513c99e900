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
    let viewport = eframe::egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]).with_app_id("gatelens");
    let options = eframe::NativeOptions { viewport, dithering: false, ..Default::default() };
    let run = eframe::run_native("gatelens", options, Box::new(move |cc| Ok(Box::new(gatelens::app::App::new(cc, link.as_deref())?))));
    match run {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("gatelens: the window could not open: {problem}\nIn the terminal: gatelens train --help");
            std::process::ExitCode::FAILURE
        }
    }
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

/// The page: starts the app on its canvas, and answers the page's script. In a worker: serves the page's commands.
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
            let canvas = web_sys::window().and_then(|window| window.document()?.get_element_by_id("gatelens"));
            let Some(canvas) = canvas.and_then(|element| element.dyn_into::<web_sys::HtmlCanvasElement>().ok()) else {
                return failed("the page has no canvas named gatelens");
            };
            let hash = platform::hash();
            let app = Box::new(move |cc: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> { Ok(Box::new(App::new(cc, hash.as_deref())?)) });
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
        RUNNER.with(|runner| runner.app_mut::<App>().map_or_else(|| "{}".into(), |app| app.status().to_string()))
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
