//! Matrix products on strided views, by the SIMD kernels of the `gemm` crates.

use super::float::Float;

/// A matrix inside a slice: element (i, j) is `data[i * row + j * column]`.
#[derive(Clone, Copy)]
pub struct View<'a, F> {
    /// The elements.
    pub data: &'a [F],
    /// Distance between rows.
    pub row: usize,
    /// Distance between columns.
    pub column: usize,
}

impl<'a, F> View<'a, F> {
    /// A row-major matrix of `width` columns.
    pub fn rows(data: &'a [F], width: usize) -> Self {
        Self { data, row: width, column: 1 }
    }

    /// The transpose.
    pub fn t(self) -> Self {
        Self { data: self.data, row: self.column, column: self.row }
    }
}

/// `out[m, n] = a[m, k] · b[k, n]`, or `out += …` with `accumulate`; `out` has rows of `out_width`.
pub fn product<F: Float>(
    [m, k, n]: [usize; 3],
    a: View<'_, F>,
    b: View<'_, F>,
    out: &mut [F],
    out_width: usize,
    accumulate: bool,
) {
    if m == 0 || n == 0 {
        return;
    }
    let last = |rows: usize, columns: usize, row: usize, column: usize| {
        (rows - 1) * row + (columns - 1) * column
    };
    assert!(k > 0, "a product over nothing");
    assert!(last(m, k, a.row, a.column) < a.data.len(), "left matrix out of bounds");
    assert!(last(k, n, b.row, b.column) < b.data.len(), "right matrix out of bounds");
    assert!(last(m, n, out_width, 1) < out.len(), "output matrix out of bounds");
    let stride = |step: usize| isize::try_from(step).expect("a stride fits isize");
    // SAFETY: the three assertions above bound every element that the strides reach, and `out` is
    // borrowed mutably, so it overlaps neither input.
    #[expect(unsafe_code, reason = "the fast product takes pointers")]
    unsafe {
        F::gemm()(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            stride(out_width),
            accumulate,
            a.data.as_ptr(),
            stride(a.column),
            stride(a.row),
            b.data.as_ptr(),
            stride(b.column),
            stride(b.row),
            F::ONE,
            F::ONE,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}
