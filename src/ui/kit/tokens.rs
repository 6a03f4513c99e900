//! What the numbers of a token, and of an output, are called in each task.

use super::format::subscript;
use crate::task::{Regression, Task};

/// Number `index` of a token: "input 2"; "x₁", "y₃"; "key 1", "value 8".
pub fn input(task: Task, index: usize) -> String {
    match task {
        Task::Attention(_) | Task::File(_) => format!("input {}", index + 1),
        Task::Regression(Regression { inputs, .. }) if index < inputs => {
            format!("x{}", subscript(index + 1))
        }
        Task::Regression(Regression { inputs, .. }) => {
            format!("y{}", subscript(index + 1 - inputs))
        }
        Task::Recall(recall) if index < recall.pairs => format!("key {}", index + 1),
        Task::Recall(recall) => format!("value {}", index + 1 - recall.pairs),
    }
}

/// Number `index` of an output: "output 2"; "value 8".
pub fn output(task: Task, index: usize) -> String {
    match task {
        Task::Attention(_) | Task::File(_) | Task::Regression(_) => format!("output {}", index + 1),
        Task::Recall(_) => format!("value {}", index + 1),
    }
}

/// Where a token's first part ends and its second begins, with their names; `None` where a token is
/// one thing.
pub fn parts(task: Task) -> Option<(usize, [&'static str; 2])> {
    match task {
        Task::Attention(_) | Task::File(_) => None,
        Task::Regression(regression) => Some((regression.inputs, ["x", "y"])),
        Task::Recall(recall) => Some((recall.pairs, ["key", "value"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Recall;

    #[test]
    fn numbers_of_a_token_have_names() {
        let regression = Task::Regression(Regression {
            inputs: 3,
            outputs: 2,
            pairs: 4,
            noise: 0.0,
            variance: 1.0,
        });
        assert_eq!([0, 2, 3, 4].map(|i| input(regression, i)), ["x₁", "x₃", "y₁", "y₂"]);
        let recall = Task::Recall(Recall { pairs: 8 });
        assert_eq!(
            [0, 7, 8, 15].map(|i| input(recall, i)),
            ["key 1", "key 8", "value 1", "value 8"]
        );
        assert_eq!(
            (output(recall, 2), output(regression, 1)),
            ("value 3".into(), "output 2".into())
        );
    }
}
