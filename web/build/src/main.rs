//! `cargo web build` makes `dist/`, the page; `cargo web serve` makes it and shows it on this
//! machine.
//!
//! One step a file: [`toolchain`] finds a compiler for wasm32, [`compile`] runs it, [`bundle`]
//! makes the files of the page (wasm-bindgen, wasm-opt, the stamp that keeps them together),
//! [`size`] says how much there is to download, [`serve`] shows it.

mod bundle;
mod compile;
mod serve;
mod size;
mod toolchain;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Makes the page of gatelens in dist/.

  cargo web build [--release]                 compile, bind, optimise, copy
  cargo web serve [--release] [--port N]      the same, then serve dist/ on http://localhost:8080

Without --release the page compiles quicker, but it is large and slow.";

#[derive(Debug, PartialEq)]
struct Options {
    serve: bool,
    release: bool,
    port: Option<u16>,
}

fn options_from_arguments(arguments: &[String]) -> Result<Options, String> {
    let mut words = arguments.iter().map(String::as_str);
    let serve = match words.next() {
        Some("build") => false,
        Some("serve") => true,
        Some(other) => return Err(format!("`{other}` is neither `build` nor `serve`")),
        None => return Err("say `build` or `serve`".to_owned()),
    };
    let mut options = Options { serve, release: false, port: None };
    while let Some(word) = words.next() {
        match word {
            "--release" => options.release = true,
            "--port" if serve => {
                let text = words.next().ok_or("--port needs a number")?;
                options.port =
                    Some(text.parse().map_err(|_| {
                        format!("--port needs a number from 0 to 65535, not `{text}`")
                    })?);
            }
            other => return Err(format!("unknown option `{other}`")),
        }
    }
    Ok(options)
}

/// The repository's root: this crate stands in `web/build` below it.
fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap_or(crate_folder).to_path_buf()
}

fn run(options: &Options) -> anyhow::Result<()> {
    let root = root();
    let toolchain = toolchain::find(&root)?;
    let wasm = compile::compile(&root, &toolchain, options.release)?;
    let dist = bundle::bundle(&root, &wasm, options.release)?;
    size::print(&dist, options.release)?;
    if options.serve { serve::serve(&dist, options.port) } else { Ok(()) }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match options_from_arguments(&arguments) {
        Err(reason) => {
            eprintln!("{reason}\n\n{USAGE}");
            ExitCode::from(2)
        }
        Ok(options) => match run(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("\nThe page was not built: {error:#}");
                ExitCode::FAILURE
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        options_from_arguments(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_command_line() {
        assert_eq!(parse("build"), Ok(Options { serve: false, release: false, port: None }));
        assert_eq!(
            parse("serve --port 9000 --release"),
            Ok(Options { serve: true, release: true, port: Some(9000) })
        );
        assert!(parse("build --port 9000").is_err());
        assert!(parse("serve --port 90000").unwrap_err().contains("90000"));
        assert!(parse("").is_err());
    }
}
