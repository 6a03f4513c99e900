//! Twin of `shaders/complex_readout.wgsl`: y = Re(C h) for rows h = [re, im]; C_im follows C_re in
//! the parameters.

use super::Block;
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

/// C_re and C_im, each `[out, n]`.
fn halves<'a, F>(dims: &Dims, parameters: &'a [F]) -> [View<'a, F>; 2] {
    let (n, out) = (dims.width_in as usize, dims.width_out as usize);
    let (re, im) = parameters[dims.weight as usize..][..2 * out * n].split_at(out * n);
    [View::rows(re, n), View::rows(im, n)]
}

/// y = h_re C_reᵀ − h_im C_imᵀ.
pub fn forward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, h]: [&[F]; 2],
    [y]: [&mut [F]; 1],
) {
    let (n, out, rows) = (dims.width_in as usize, dims.width_out as usize, block.rows(dims));
    let [re, im] = halves(dims, parameters);
    product([rows, n, out], View { data: &h[n..], row: 2 * n, column: 1 }, im.t(), y, out, false);
    y.iter_mut().for_each(|y| *y = -*y);
    product([rows, n, out], View { data: h, row: 2 * n, column: 1 }, re.t(), y, out, true);
}

/// dh = [dy C_re, −dy C_im].
pub fn backward_input<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, dy]: [&[F]; 2],
    [dh]: [&mut [F]; 1],
) {
    let (n, out, rows) = (dims.width_in as usize, dims.width_out as usize, block.rows(dims));
    let [re, im] = halves(dims, parameters);
    product([rows, out, n], View::rows(dy, out), re, dh, 2 * n, false);
    product([rows, out, n], View::rows(dy, out), im, &mut dh[n..], 2 * n, false);
    dh.chunks_exact_mut(2 * n).for_each(|dh| dh[n..].iter_mut().for_each(|dh| *dh = -*dh));
}

/// dC_re = dyᵀ h_re and dC_im = −dyᵀ h_im into the split's gradients.
pub fn backward_weight<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [h, dy]: [&[F]; 2],
    [gradients]: [&mut [F]; 1],
) {
    let (n, out, rows) = (dims.width_in as usize, dims.width_out as usize, block.rows(dims));
    let (re, im) = gradients[dims.weight as usize..][..2 * out * n].split_at_mut(out * n);
    product(
        [out, rows, n],
        View::rows(dy, out).t(),
        View { data: h, row: 2 * n, column: 1 },
        re,
        n,
        false,
    );
    product(
        [out, rows, n],
        View::rows(dy, out).t(),
        View { data: &h[n..], row: 2 * n, column: 1 },
        im,
        n,
        false,
    );
    im.iter_mut().for_each(|im| *im = -*im);
}
