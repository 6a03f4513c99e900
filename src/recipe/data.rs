//! The user's own arrays: x `[N, T, d]`, y `[N, T, d_out]` and, if not all time steps count, a mask
//! `[T]` or `[N, T]`; from safetensors, from numpy's `.npz`, or from `x.npy` with `y.npy` (and
//! `mask.npy`) beside it.

use crate::task::Arrays;
use crate::{Error, Result};
use safetensors::{Dtype, SafeTensors};

/// Numbers in one array, at most: 256 MiB.
const MOST_NUMBERS: usize = 1 << 26;
/// Sequences, at most.
const MOST_SEQUENCES: usize = 65_536;

/// An array from a file.
#[derive(Debug, Clone, PartialEq)]
struct Array {
    shape: Vec<usize>,
    numbers: Vec<f32>,
}

/// What a file is called, and its content.
pub type File<'a> = (&'a str, &'a [u8]);

/// Reads the arrays of one file (safetensors or `.npz`), or of several `.npy` files, which are
/// called what they hold.
///
/// # Errors
/// Says which array is wrong, and what was expected.
pub fn read(files: &[File<'_>]) -> Result<Arrays> {
    let name = files.first().map_or("data", |(name, _)| *name);
    let array = |wanted: &str| -> Result<Option<Array>> {
        match files {
            [(name, bytes)] if bytes.starts_with(b"PK") => from_npz(name, bytes, wanted),
            [(name, bytes)] if !bytes.starts_with(NPY) => from_safetensors(name, bytes, wanted),
            several => match several.iter().find(|(name, _)| is_called(name, wanted)) {
                Some((name, bytes)) => from_npy(name, wanted, bytes).map(Some),
                None => Ok(None),
            },
        }
    };
    let missing = |wanted: &str| {
        let hint = if files.iter().any(|(_, bytes)| bytes.starts_with(NPY)) {
            "; a .npy file holds one array: put x.npy and y.npy side by side, or save both with np.savez"
        } else {
            ""
        };
        Error::file(
            name,
            format!("has no array {wanted}; expected x [N, T, d] and y [N, T, d_out]{hint}"),
        )
    };
    let x = array("x")?.ok_or_else(|| missing("x"))?;
    let y = array("y")?.ok_or_else(|| missing("y"))?;
    arrays(name, x, y, array("mask")?)
}

/// Whether a file holds arrays rather than weights: numpy's formats, or safetensors with an x and
/// no gates.
pub fn is_data(name: &str, bytes: &[u8]) -> bool {
    let numpy = bytes.starts_with(b"PK")
        || bytes.starts_with(NPY)
        || [".npz", ".npy"].iter().any(|end| name.ends_with(end));
    let has = |file: &SafeTensors<'_>, tensor: &str| file.tensor(tensor).is_ok();
    numpy
        || SafeTensors::deserialize(bytes)
            .is_ok_and(|file| has(&file, "x") && has(&file, "y") && !has(&file, "readout"))
}

/// Whether the file is `wanted.npy`, in whatever folder.
fn is_called(name: &str, wanted: &str) -> bool {
    name.rsplit(['/', '\\']).next().is_some_and(|file| file == format!("{wanted}.npy"))
}

fn arrays(name: &str, x: Array, y: Array, mask: Option<Array>) -> Result<Arrays> {
    let wrong = |problem: String| Error::file(name, problem);
    let cube = |array: &Array, what: &str| match array.shape[..] {
        [n, t, d] if n * t * d > 0 => Ok([n, t, d]),
        _ => Err(wrong(format!(
            "{what} has shape {:?}; expected three dimensions [N, T, numbers], none of them 0",
            array.shape
        ))),
    };
    let ([sequences, time, inputs], [n, t, outputs]) = (cube(&x, "x")?, cube(&y, "y")?);
    if (n, t) != (sequences, time) {
        return Err(wrong(format!(
            "x has {sequences} sequences of {time} steps, y has {n} of {t}; expected as many"
        )));
    }
    if sequences > MOST_SEQUENCES {
        return Err(wrong(format!("has {sequences} sequences; expected at most {MOST_SEQUENCES}")));
    }
    let all = mask.map(|mask| whole_mask(name, &mask, sequences, time)).transpose()?;
    // Steps before the first that counts anywhere need no output at all.
    let first = all
        .as_ref()
        .and_then(|mask| (0..time).find(|t| mask.iter().skip(*t).step_by(time).any(|w| *w > 0.0)))
        .unwrap_or(0);
    let steps = time - first;
    let tail = |numbers: &[f32], width: usize| -> Vec<f32> {
        numbers.chunks_exact(time * width).flat_map(|s| &s[first * width..]).copied().collect()
    };
    let weight =
        all.map(|mask| tail(&mask, 1)).filter(|weight| weight.iter().any(|w| *w != weight[0]));
    let mean = weight.as_ref().map_or(1.0, |weight| {
        weight.iter().map(|w| f64::from(*w)).sum::<f64>() / weight.len() as f64
    });
    let weight =
        weight.map(|weight| weight.into_iter().map(|w| (f64::from(w) / mean) as f32).collect());
    Ok(Arrays {
        sequences,
        time,
        inputs,
        outputs,
        steps,
        y: tail(&y.numbers, outputs),
        x: x.numbers,
        weight,
    })
}

/// The mask for every sequence, `[N, T]`.
fn whole_mask(name: &str, mask: &Array, sequences: usize, time: usize) -> Result<Vec<f32>> {
    let wrong = |problem: String| Err(Error::file(name, problem));
    let all = match mask.shape[..] {
        [t] if t == time => mask.numbers.repeat(sequences),
        [n, t] if (n, t) == (sequences, time) => mask.numbers.clone(),
        _ => {
            return wrong(format!(
                "mask has shape {:?}; expected [{time}] or [{sequences}, {time}]",
                mask.shape
            ));
        }
    };
    if let Some(i) = all.iter().position(|w| *w < 0.0) {
        return wrong(format!("mask holds {} at element {i}; expected 0 or more", all[i]));
    }
    if all.iter().all(|w| *w == 0.0) {
        return wrong("mask is all zero: no time step would count".into());
    }
    Ok(all)
}

fn from_safetensors(name: &str, bytes: &[u8], wanted: &str) -> Result<Option<Array>> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| {
        Error::file(
            name,
            format!("is neither a whole safetensors file ({e}) nor numpy's .npz or .npy"),
        )
    })?;
    let Ok(view) = file.tensor(wanted) else { return Ok(None) };
    let kind = match view.dtype() {
        Dtype::F32 => "f4",
        Dtype::F64 => "f8",
        Dtype::I8 => "i1",
        Dtype::I16 => "i2",
        Dtype::I32 => "i4",
        Dtype::I64 => "i8",
        Dtype::BOOL | Dtype::U8 => "u1",
        Dtype::U16 => "u2",
        Dtype::U32 => "u4",
        Dtype::U64 => "u8",
        other => return Err(unreadable(name, wanted, &format!("{other:?}"))),
    };
    array(name, wanted, kind, view.shape().to_vec(), view.data()).map(Some)
}

fn from_npz(name: &str, bytes: &[u8], wanted: &str) -> Result<Option<Array>> {
    let wrong = |problem: &dyn std::fmt::Display| {
        Error::file(name, format!("is not a whole .npz file ({problem})"))
    };
    let archive = rawzip::ZipArchive::from_slice(bytes).map_err(|e| wrong(&e))?;
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry().map_err(|e| wrong(&e))? {
        if entry.file_path().as_bytes() != format!("{wanted}.npy").as_bytes() {
            continue;
        }
        let data = archive.get_entry(entry.wayfinder()).map_err(|e| wrong(&e))?.data();
        return match entry.compression_method() {
            rawzip::CompressionMethod::STORE => from_npy(name, wanted, data),
            // A small file can claim to unpack to anything.
            rawzip::CompressionMethod::DEFLATE => {
                match miniz_oxide::inflate::decompress_to_vec_with_limit(
                    data,
                    8 * MOST_NUMBERS + 1024,
                ) {
                    Ok(content) => from_npy(name, wanted, &content),
                    Err(problem) => Err(wrong(&format!("{wanted}: {problem}"))),
                }
            }
            _ => Err(wrong(&format!("{wanted} is packed in a way that numpy does not use"))),
        }
        .map(Some);
    }
    Ok(None)
}

/// How a `.npy` file begins.
const NPY: &[u8] = b"\x93NUMPY";

/// numpy's format: magic, version, length of the header, a header like `{'descr': '<f8',
/// 'fortran_order': False, 'shape': (3, 4), }`, numbers.
fn from_npy(name: &str, wanted: &str, bytes: &[u8]) -> Result<Array> {
    let wrong = |problem: &str| Error::file(name, format!("{wanted} {problem}"));
    let cut = || wrong("is not a whole .npy array");
    if !bytes.starts_with(NPY) {
        return Err(cut());
    }
    let (length, start) = match bytes.get(6).ok_or_else(cut)? {
        1 => (
            usize::from(u16::from_le_bytes(four(bytes, 8).map(|b| [b[0], b[1]]).ok_or_else(cut)?)),
            10,
        ),
        _ => (u32::from_le_bytes(four(bytes, 8).ok_or_else(cut)?) as usize, 12),
    };
    let header = bytes
        .get(start..start + length)
        .and_then(|header| std::str::from_utf8(header).ok())
        .ok_or_else(cut)?;
    let after = |key: &str| {
        header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start()).ok_or_else(cut)
    };
    let kind = after("descr")?.trim_start_matches('\'').split('\'').next().unwrap_or_default();
    if after("fortran_order")?.starts_with("True") {
        return Err(wrong("is in Fortran's order; save np.ascontiguousarray of it"));
    }
    let list = after("shape")?.trim_start_matches('(').split(')').next().unwrap_or_default();
    let shape: Option<Vec<usize>> = list
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().ok())
        .collect();
    let kind = if kind == "|b1" { "u1" } else { kind.trim_start_matches(['<', '|', '=']) };
    array(name, wanted, kind, shape.ok_or_else(cut)?, &bytes[start + length..])
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at + 4)?.try_into().ok()
}

fn unreadable(name: &str, wanted: &str, kind: &str) -> Error {
    Error::file(name, format!("{wanted} holds {kind}; expected float32, float64 or whole numbers"))
}

/// Little-endian numbers of a numpy kind like `f8`.
fn array(name: &str, wanted: &str, kind: &str, shape: Vec<usize>, data: &[u8]) -> Result<Array> {
    let wrong = |problem: String| Error::file(name, format!("{wanted} {problem}"));
    let count = shape
        .iter()
        .try_fold(1usize, |product, &size| product.checked_mul(size))
        .filter(|count| *count <= MOST_NUMBERS);
    let count = count.ok_or_else(|| {
        wrong(format!("has shape {shape:?}; expected at most {MOST_NUMBERS} numbers"))
    })?;
    let size =
        kind.get(1..).and_then(|size| size.parse::<usize>().ok()).filter(|_| kind.is_ascii());
    let size = size.ok_or_else(|| unreadable(name, wanted, kind))?;
    let data = data.get(..count * size).ok_or_else(|| {
        wrong(format!("is cut short: {} bytes for {count} numbers of {size}", data.len()))
    })?;
    macro_rules! numbers {
        ($type:ty) => {
            data.chunks_exact(size)
                .map(|b| <$type>::from_le_bytes(b.try_into().expect("a chunk has its size")) as f64)
                .collect::<Vec<f64>>()
        };
    }
    let numbers: Vec<f64> = match kind {
        "f4" => numbers!(f32),
        "f8" => numbers!(f64),
        "i1" => numbers!(i8),
        "i2" => numbers!(i16),
        "i4" => numbers!(i32),
        "i8" => numbers!(i64),
        "u1" => numbers!(u8),
        "u2" => numbers!(u16),
        "u4" => numbers!(u32),
        "u8" => numbers!(u64),
        other => return Err(unreadable(name, wanted, other)),
    };
    let numbers: Vec<f32> = numbers.into_iter().map(|v| v as f32).collect();
    match numbers.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(wrong(format!(
            "holds {} at element {i}; expected finite float32 numbers",
            numbers[i]
        ))),
        None => Ok(Array { shape, numbers }),
    }
}
