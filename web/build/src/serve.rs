//! A file server for `dist/` on this machine alone: right MIME types, nothing cached, no path out
//! of the folder.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

const PORT: u16 = 8080;
const LONGEST_REQUEST_BYTES: u64 = 16 * 1024;

pub fn serve(dist: &Path, port: Option<u16>) -> anyhow::Result<()> {
    let listen = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match port {
        Some(port) => listen(port).with_context(|| format!("port {port} cannot be used"))?,
        None => listen(PORT).or_else(|_| listen(0))?,
    };
    println!("open http://localhost:{}   (Ctrl-C ends)", listener.local_addr()?.port());
    for connection in listener.incoming().flatten() {
        let dist = dist.to_path_buf();
        // A connection that breaks concerns its browser alone.
        thread::spawn(move || answer(connection, &dist).ok());
    }
    Ok(())
}

fn answer(mut connection: TcpStream, dist: &Path) -> std::io::Result<()> {
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut lines = BufReader::new(connection.try_clone()?.take(LONGEST_REQUEST_BYTES)).lines();
    let request = lines.next().unwrap_or(Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let mut words = request.split(' ');
    let (method, url) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (status, mime, body) = match file_from_url(dist, url) {
        _ if method != "GET" && method != "HEAD" => {
            ("405 Method Not Allowed", "text/plain", b"GET or HEAD only".to_vec())
        }
        Some(path) => match fs::read(&path) {
            Ok(bytes) => ("200 OK", mime(&path), bytes),
            Err(_) => ("404 Not Found", "text/plain", b"no such file".to_vec()),
        },
        None => ("400 Bad Request", "text/plain", b"no such path".to_vec()),
    };
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == "HEAD" { Ok(()) } else { connection.write_all(&body) }
}

/// The file that a URL names, or None where it is malformed or leads out of the folder.
fn file_from_url(dist: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = unescape(path)?;
    let safe = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = dist.join(if path.is_empty() || path.ends_with('/') {
        path.clone() + "index.html"
    } else {
        path.clone()
    });
    (safe && !path.contains(['\\', ':', '\0'])).then_some(file)
}

/// Undoes the `%20` of URLs.
fn unescape(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_stays_in_the_folder() {
        let file = |url: &str| file_from_url(Path::new("dist"), url);
        assert_eq!(file("/"), Some(PathBuf::from("dist/index.html")));
        assert_eq!(file("/gatelens_bg.wasm?v=1#x"), Some(PathBuf::from("dist/gatelens_bg.wasm")));
        assert_eq!(file("/assets/a%20b.svg"), Some(PathBuf::from("dist/assets/a b.svg")));
        for bad in [
            "",
            "x",
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "/assets/../../x",
            "//etc/passwd",
            "/%2Fetc/passwd",
            "/a\\..\\b",
            "/c:/x",
            "/%",
            "/%zz",
            "/%ff",
        ] {
            assert_eq!(file(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_request_gets_its_file_and_nothing_is_cached() {
        let dist = crate::root().join("web/build");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            for connection in listener.incoming().take(3) {
                answer(connection.unwrap(), &dist).unwrap();
            }
        });
        let ask = |request: &str| {
            let mut connection = TcpStream::connect(address).unwrap();
            write!(connection, "{request} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).unwrap();
            answer
        };
        let found = ask("GET /Cargo.toml");
        assert!(
            found.starts_with("HTTP/1.1 200 OK\r\n")
                && found.contains("no-store")
                && found.contains("gatelens-web"),
            "{found}"
        );
        assert!(ask("GET /absent").starts_with("HTTP/1.1 404 "));
        assert!(ask("POST /Cargo.toml").starts_with("HTTP/1.1 405 "));
        server.join().unwrap();
    }
}
