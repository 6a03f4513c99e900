//! "Does it do attention?" for any layer, in numbers: how far its outputs are from linear
//! attention's, what can be read off its states, and what polynomial it is in one and two tokens.
//! Weights are not looked at, so LSTM, GRU and LRU can be asked what a gated network is asked.

use super::content::{self, Content, Likeness, Setting};
use super::decoding::{self, Decoding};
use super::subject::Subject;
use super::verdict::{SAME_OUTPUTS, SAME_POLYNOMIAL};
use super::words::part;
use crate::math::matrix::Matrix;
use crate::model::run::ModelWeights;
use crate::theory::attention;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Sequences that the outputs are compared on.
const SEQUENCES: usize = 256;
/// Outputs that differ by no more than this are called close.
const CLOSE: f64 = 0.2;
/// Products whose coefficients are this much in the subject's direction are called its products.
const ALIKE: f64 = 0.95;

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// What it was probed for: "linear attention".
    pub subject: String,
    /// ‖ŷ − y‖ / ‖y‖ on fresh sequences; `None` where y is all zero, or the outputs are no
    /// numbers.
    pub error: Option<f64>,
    /// What a linear map reads off its states; `None` for attention, which keeps none.
    pub decoded: Option<Decoding>,
    /// Its polynomial in one token.
    pub one: Content,
    /// Whether a token is both written and asked for: not in a regression, where the query has no
    /// y and the loss does not see what `one` says.
    pub one_counts: bool,
    /// Its polynomial in two tokens, one step apart.
    pub two: Content,
}

/// Runs and fits.
///
/// # Errors
/// A network whose tokens or outputs are not as wide as the subject's.
pub fn probe(network: &ModelWeights<'_>, subject: &Subject<'_>, seed: u32) -> Result<Probe> {
    let [d, outputs] = subject.sizes();
    if [network.inputs, network.outputs] != [d, outputs] {
        return Err(Error::setting(
            "network",
            format!("{} values per token and {} per output", network.inputs, network.outputs),
            format!("{d} and {outputs}, as {} has here", subject.name()),
        ));
    }
    let content = |lag| content::fit(network, subject, Setting { lag, scale: 1.0, seed }).content;
    Ok(Probe {
        subject: subject.name().into(),
        error: error(network, subject, seed),
        decoded: decoding::decode(network, subject, seed),
        one: content(None),
        one_counts: subject.query_width() == d,
        two: content(Some(1)),
    })
}

fn error(network: &ModelWeights<'_>, subject: &Subject<'_>, seed: u32) -> Option<f64> {
    let (time, [_, outputs]) = (subject.time(), subject.sizes());
    let x = subject.tokens(SEQUENCES, seed.wrapping_add(1));
    let counted: Vec<usize> = (0..x.rows).filter(|row| subject.counts(row % time)).collect();
    let wanted: Matrix = attention::outputs(&subject.teacher(), &x, time)
        .select_rows(&counted)
        .select_columns(&(0..outputs).collect::<Vec<_>>());
    let found = network.outputs_of::<f64>(&x, time).select_rows(&counted);
    Some(found.relative_change(&wanted)).filter(|error| error.is_finite())
}

impl Probe {
    /// Whether outputs, two-token and (where it counts) one-token polynomials are the subject's,
    /// within what is called the same in a dissection.
    pub fn is_subject(&self) -> bool {
        let within = |value: Option<f64>, most: f64| value.is_some_and(|value| value <= most);
        within(self.error, SAME_OUTPUTS)
            && (!self.one_counts || within(self.one.distance, SAME_POLYNOMIAL))
            && within(self.two.distance, SAME_POLYNOMIAL)
    }

    /// The answer in a short sentence.
    pub fn headline(&self) -> String {
        let Self { subject, error, two, .. } = self;
        let has_products = two.products.cosine.is_some_and(|cosine| cosine >= ALIKE);
        match error {
            None => "Its answers can't be compared.".into(),
            Some(_) if self.is_subject() => format!("This computes {subject}."),
            Some(error) if *error <= SAME_OUTPUTS => {
                format!("Its answers are those of {subject}, but it is another polynomial.")
            }
            Some(error) if *error <= CLOSE => format!("This is close to {subject}, but not there."),
            Some(_) if has_products => {
                format!(
                    "It has the products of {subject} with the token before, but its answers are others."
                )
            }
            Some(_) => format!("This does not compute {subject}."),
        }
    }

    /// The numbers that the headline rests on.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.headline()];
        if let Some(error) = self.error {
            sentences.push(format!(
                "On fresh sequences its outputs differ from those of {} by {}.",
                self.subject,
                part(error)
            ));
        }
        sentences.extend(self.decoded.as_ref().map(Decoding::sentence));
        sentences.push(self.one.sentence("one token", "Its cubic terms"));
        sentences.push(self.two.sentence(
            "two tokens",
            "Its products of two factors of the earlier token and one of the current",
        ));
        sentences
    }
}

impl Decoding {
    /// The numbers in a sentence.
    pub fn sentence(&self) -> String {
        let left =
            |value: Option<f64>| value.map_or_else(|| "nothing (it does not vary)".into(), part);
        let gates = self
            .query_in_gates
            .map(|value| format!(", of the query from its gates {}", part(value)))
            .unwrap_or_default();
        format!(
            "Reading linearly from its {} state numbers ({} independent) leaves {} of the key-value matrix's variance and {} of the query's{gates}, on {} tokens that were not fitted.",
            self.states,
            self.independent,
            left(self.key_value),
            left(self.query),
            self.tokens
        )
    }
}

impl Content {
    fn sentence(&self, tokens: &str, products: &str) -> String {
        let shares: Vec<String> = self.shares.iter().map(|share| part(*share)).collect();
        let rest = self.unexplained.map_or_else(
            || "its answers do not vary".into(),
            |rest| format!("{} of its variance is of no degree up to 4", part(rest)),
        );
        let Likeness { cosine, distance, .. } = self.products;
        let alike = cosine
            .zip(distance)
            .map(|(cosine, distance)| {
                format!(
                    " {products}: cosine {cosine:.3} with the wanted ones, distance {}.",
                    part(distance)
                )
            })
            .unwrap_or_default();
        format!(
            "In {tokens} the mean squares of degree 0 to 4 are as {}; {rest}.{alike}",
            shares.join(" : ")
        )
    }
}
