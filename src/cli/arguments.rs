//! What was given on the command line.

use clap::ArgMatches;

/// An argument's text.
pub fn text<'a>(arguments: &'a ArgMatches, name: &str) -> Option<&'a str> {
    arguments.get_one::<String>(name).map(String::as_str)
}
