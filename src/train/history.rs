//! Curves of a long run in little memory: when full, neighbours merge and the stride doubles.

use crate::backend::StepLoss;

/// The losses of up to a million steps and more, as buckets of equal length.
#[derive(Debug, Clone, Default)]
pub struct LossHistory {
    buckets: Vec<Bucket>,
    stride: u64,
    steps: u64,
    smooth: Option<(f64, f64)>,
    last: Option<StepLoss>,
}

/// Steps `first .. first + count` of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// The first step in it, from 1.
    pub first: u64,
    /// Steps in it.
    pub count: u64,
    /// Mean loss.
    pub loss: f64,
    /// Mean target power.
    pub power: f64,
    /// Smallest loss.
    pub min: f32,
    /// Largest loss.
    pub max: f32,
    /// Exponential moving average at its end: loss and target power.
    pub smooth: (f64, f64),
}

/// Buckets kept at most.
const CAPACITY: usize = 2048;
/// Weight of one step in the moving average, at least; early on it is the plain mean.
const SMOOTHING: f64 = 0.02;

impl LossHistory {
    /// Adds the losses of the steps from `first` on. Steps that were seen before (a run that went
    /// back) are cut off first.
    pub fn extend(&mut self, first: u64, losses: &[StepLoss]) {
        if first <= self.steps {
            self.truncate(first);
        }
        for (step, loss) in (first..).zip(losses) {
            self.push(step, *loss);
        }
    }

    /// The buckets, oldest first.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// The newest step's loss.
    pub fn last(&self) -> Option<StepLoss> {
        self.last
    }

    /// The moving average: (loss, nMSE).
    pub fn smooth(&self) -> Option<(f64, f64)> {
        self.smooth.map(|(loss, power)| (loss, ratio(loss, power)))
    }

    /// Steps seen.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn push(&mut self, step: u64, StepLoss { loss, power }: StepLoss) {
        self.stride = self.stride.max(1);
        self.steps = step;
        self.last = Some(StepLoss { loss, power });
        let (wide, wide_power) = (f64::from(loss), f64::from(power));
        let blend = |old: f64, new: f64| old + (new - old) * SMOOTHING.max(1.0 / step as f64);
        let smooth =
            self.smooth.map_or((wide, wide_power), |(l, p)| (blend(l, wide), blend(p, wide_power)));
        self.smooth = Some(smooth);
        let start = (step - 1) / self.stride * self.stride + 1;
        match self.buckets.last_mut().filter(|bucket| bucket.first >= start) {
            Some(bucket) => bucket.merge(&Bucket {
                first: step,
                count: 1,
                loss: wide,
                power: wide_power,
                min: loss,
                max: loss,
                smooth,
            }),
            None => self.buckets.push(Bucket {
                first: step,
                count: 1,
                loss: wide,
                power: wide_power,
                min: loss,
                max: loss,
                smooth,
            }),
        }
        if self.buckets.len() > CAPACITY {
            self.stride *= 2;
            self.buckets = self
                .buckets
                .chunks(2)
                .map(|pair| {
                    pair[1..].iter().fold(pair[0], |mut a, b| {
                        a.merge(b);
                        a
                    })
                })
                .collect();
        }
    }

    fn truncate(&mut self, first: u64) {
        self.buckets.retain(|bucket| bucket.first + bucket.count <= first); // one that straddles it may hold what went wrong
        self.steps = first - 1;
        self.smooth = self.buckets.last().map(|bucket| bucket.smooth);
    }
}

impl Bucket {
    /// Mean loss over mean target power.
    pub fn nmse(&self) -> f64 {
        ratio(self.loss, self.power)
    }

    fn merge(&mut self, later: &Self) {
        let (a, b) = (self.count as f64, later.count as f64);
        self.loss = (self.loss * a + later.loss * b) / (a + b);
        self.power = (self.power * a + later.power * b) / (a + b);
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
        self.count += later.count;
        self.smooth = later.smooth;
    }
}

fn ratio(loss: f64, power: f64) -> f64 {
    if power > 0.0 { loss / power } else { loss }
}

/// One number a neuron over training (λ), thinned the same way.
#[derive(Debug, Clone, Default)]
pub struct Traces {
    steps: Vec<u64>,
    values: Vec<Vec<f32>>,
    stride: usize,
    seen: usize,
}

/// Moments kept at most.
const MOMENTS: usize = 512;

impl Traces {
    /// Adds all values at `step`; moments at or after it are forgotten first.
    pub fn push(&mut self, step: u64, values: Vec<f32>) {
        let kept = self.steps.partition_point(|&s| s < step);
        self.steps.truncate(kept);
        self.values.truncate(kept);
        self.stride = self.stride.max(1);
        // The newest moment is always kept; between strides it is replaced.
        if !self.seen.is_multiple_of(self.stride) && kept > 1 {
            self.steps.pop();
            self.values.pop();
        }
        self.seen += 1;
        self.steps.push(step);
        self.values.push(values);
        if self.steps.len() > MOMENTS {
            self.stride *= 2;
            let mut index = 0..;
            self.steps.retain(|_| index.next().is_some_and(|i| i % 2 == 0));
            let mut index = 0..;
            self.values.retain(|_| index.next().is_some_and(|i| i % 2 == 0));
        }
    }

    /// The moments, oldest first.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// The values at each moment.
    pub fn values(&self) -> &[Vec<f32>] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_steps_fit() {
        let mut history = LossHistory::default();
        for chunk in 0..1000u64 {
            let losses: Vec<StepLoss> = (0..1000)
                .map(|i| StepLoss { loss: (chunk * 1000 + i) as f32, power: 2.0 })
                .collect();
            history.extend(chunk * 1000 + 1, &losses);
        }
        let buckets = history.buckets();
        assert!(buckets.len() <= CAPACITY && history.steps() == 1_000_000);
        assert_eq!(buckets.iter().map(|b| b.count).sum::<u64>(), 1_000_000);
        let mean: f64 = buckets.iter().map(|b| b.loss * b.count as f64).sum::<f64>() / 1e6;
        assert!((mean - 499_999.5).abs() < 1e-3, "{mean}");
        assert!(buckets.windows(2).all(|w| w[0].first + w[0].count == w[1].first), "no gaps");
        history.extend(10, &[StepLoss { loss: 1.0, power: 1.0 }]);
        assert_eq!(history.steps(), 10, "a run that went back");
    }

    #[test]
    fn going_back_forgets_what_went_wrong() {
        let mut history = LossHistory::default();
        let sound = StepLoss { loss: 1.0, power: 1.0 };
        (1..=5000).for_each(|step| history.extend(step, &[sound]));
        history.extend(5001, &[StepLoss { loss: f32::NAN, power: 1.0 }]);
        history.extend(5000, &[sound]); // its bucket held the step that was no number
        assert!(history.smooth().is_some_and(|(loss, _)| loss == 1.0), "{:?}", history.smooth());
        assert!(history.buckets().iter().all(|bucket| bucket.loss == 1.0));
    }

    #[test]
    fn traces_keep_first_and_newest() {
        let mut traces = Traces::default();
        (0..10_000u64).for_each(|step| traces.push(step, vec![step as f32]));
        assert!(traces.steps().len() <= MOMENTS && traces.steps().len() > MOMENTS / 3);
        assert_eq!((traces.steps()[0], *traces.steps().last().unwrap()), (0, 9_999));
        assert!(traces.steps().iter().zip(traces.values()).all(|(&s, v)| v[0] == s as f32));
    }
}
