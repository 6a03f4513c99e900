//! The layer that is imitated, token by token (paper.md, section 1): S_t = S_{t−1} + v_t k_tᵀ, y_t
//! = S_t q_t.

use super::teacher::matrix;
use crate::math::matrix::{Matrix, dot};
use crate::task::Teacher;

/// Linear attention at one token.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// v_t = W_V x_t `[d]`
    pub value: Vec<f64>,
    /// k_t = W_K x_t `[d]`
    pub key: Vec<f64>,
    /// q_t = W_Q x_t `[d]`
    pub query: Vec<f64>,
    /// S_t `[d, d]`
    pub memory: Matrix,
    /// y_t = S_t q_t `[d]`
    pub output: Vec<f64>,
}

/// One sequence x `[T, d]`.
pub fn unroll(teacher: &Teacher, x: &Matrix) -> Vec<Moment> {
    let d = teacher.dim;
    let read = |numbers: &[f64]| x.times_transposed(&matrix(numbers, d));
    let (values, keys, queries) = (read(&teacher.value), read(&teacher.key), read(&teacher.query));
    let mut memory = Matrix::zeros(d, d);
    let moment = |t: usize| {
        let (value, key, query) =
            (values.row(t).to_vec(), keys.row(t).to_vec(), queries.row(t).to_vec());
        memory = Matrix::from_fn(d, d, |r, s| memory.at(r, s) + value[r] * key[s]);
        let output = memory.iter_rows().map(|row| dot(row, &query)).collect();
        Moment { value, key, query, memory: memory.clone(), output }
    };
    (0..x.rows).map(moment).collect()
}

/// y `[batch · time, d]` for x `[batch · time, d]`: sequences of `time` tokens, one after another.
pub fn outputs(teacher: &Teacher, x: &Matrix, time: usize) -> Matrix {
    let sequence =
        |start: usize| unroll(teacher, &x.select_rows(&(start..start + time).collect::<Vec<_>>()));
    let rows: Vec<Vec<f64>> =
        (0..x.rows).step_by(time.max(1)).flat_map(sequence).map(|moment| moment.output).collect();
    Matrix::from_rows(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_the_sum_of_products_and_the_output_what_the_query_reads() {
        let teacher = Teacher {
            dim: 2,
            value: vec![1.0, 0.0, 0.0, 2.0],
            key: vec![0.0, 1.0, 1.0, 0.0],
            query: vec![1.0, 1.0, 0.0, 1.0],
        };
        let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, -1.0]]);
        let moments = unroll(&teacher, &x);
        // v = (1, 4), (3, −2); k = (2, 1), (−1, 3); q = (3, 2), (2, −1)
        assert_eq!(moments[0].memory.data, [2.0, 1.0, 8.0, 4.0]);
        assert_eq!(moments[1].memory.data, [-1.0, 10.0, 10.0, -2.0]);
        assert_eq!(
            (&moments[0].output[..], &moments[1].output[..]),
            (&[8.0, 32.0][..], &[-12.0, 22.0][..])
        );
        let (map, values) = teacher.attention(&x.data);
        let y = outputs(&teacher, &x, 2);
        for (i, y) in y.data.iter().enumerate() {
            let (t, k) = (i / 2, i % 2);
            assert_eq!(*y, (0..2).map(|s| map[t * 2 + s] * values[s * 2 + k]).sum::<f64>());
        }
        assert_eq!(outputs(&teacher, &x, 1).row(1), [-15.0, 10.0], "sequences of one token");
    }
}
