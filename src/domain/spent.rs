//! What calls cost, as far as the command lines reported it. Unknown stays unknown and is never 0.

use super::effect::Call;
use super::fact::Usage;

/// A sum over calls.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Input, cached and output tokens together.
    pub tokens: Option<u64>,
    /// Only where the vendor gives a figure.
    pub usd: Option<f64>,
    /// Calls without tokens: the sum of tokens is at least what it says.
    pub silent: u32,
    /// Calls without a price.
    pub unpriced: u32,
}

impl Spent {
    /// Whether somebody was called: a step of the engine itself is no call, unless an agent was called in it.
    pub fn counts(call: &Call, usage: Option<&Usage>) -> bool {
        usage.is_some() || !call.purpose.is_job()
    }

    /// Counts what ended, if it was a call.
    pub fn ended(&mut self, call: &Call, usage: Option<&Usage>) {
        if Spent::counts(call, usage) {
            self.add(usage);
        }
    }

    /// Counts one call.
    pub fn add(&mut self, usage: Option<&Usage>) {
        let parts = usage.map(|u| [u.input, u.cached, u.output]).unwrap_or_default();
        if parts.iter().any(Option::is_some) {
            *self.tokens.get_or_insert(0) += parts.into_iter().flatten().sum::<u64>();
        } else {
            self.silent += 1;
        }
        match usage.and_then(|u| u.cost_usd).filter(|usd| usd.is_finite()) {
            Some(usd) => *self.usd.get_or_insert(0.0) += usd,
            None => self.unpriced += 1,
        }
    }

    /// Both together.
    pub fn and(mut self, other: &Spent) -> Spent {
        if let Some(tokens) = other.tokens {
            *self.tokens.get_or_insert(0) += tokens;
        }
        if let Some(usd) = other.usd {
            *self.usd.get_or_insert(0.0) += usd;
        }
        self.silent += other.silent;
        self.unpriced += other.unpriced;
        self
    }
}

/// What a session may cost before the pilot is asked. What no command line reports cannot be held against it.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Budget {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
}

impl Budget {
    /// `None` without any limit.
    pub fn of(usd: Option<f64>, tokens: Option<u64>) -> Option<Budget> {
        (usd.is_some() || tokens.is_some()).then_some(Budget { usd, tokens })
    }

    pub fn is_reached(&self, spent: &Spent) -> bool {
        let usd = self.usd.zip(spent.usd).is_some_and(|(most, is)| is >= most);
        let tokens = self.tokens.zip(spent.tokens).is_some_and(|(most, is)| is >= most);
        usd || tokens
    }

    /// As much again, from what was spent on.
    pub fn raised(&self, spent: &Spent) -> Budget {
        let usd = self.usd.map(|most| spent.usd.unwrap_or_default() + most);
        let tokens = self.tokens.map(|most| spent.tokens.unwrap_or_default().saturating_add(most));
        Budget { usd, tokens }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::effect::Purpose;

    #[test]
    fn a_limit_is_reached_by_what_is_known_only() {
        let spent = |tokens, usd| Spent { tokens, usd, silent: 3, unpriced: 3 };
        let budget = Budget::of(Some(2.0), None).unwrap();
        assert!(!budget.is_reached(&spent(Some(9), None)), "unknown is not 0, and not too much either");
        assert!(!budget.is_reached(&spent(None, Some(1.99))) && budget.is_reached(&spent(None, Some(2.0))));
        assert_eq!(budget.raised(&spent(None, Some(2.5))).usd, Some(4.5));
        assert!(Budget::of(None, Some(10)).unwrap().is_reached(&spent(Some(10), None)));
        assert_eq!(Budget::of(None, None), None);
    }

    #[test]
    fn a_step_of_the_engine_is_no_call_unless_an_agent_was_called_in_it() {
        let call = |purpose| Call {
            purpose,
            vendor: None,
            round: 1,
            attempt: 1,
            name: None,
            complaints: Vec::new(),
        };
        let mut spent = Spent::default();
        spent.ended(&call(Purpose::Deploy), None);
        spent.ended(&call(Purpose::Verify), None);
        assert_eq!(spent, Spent::default());
        spent.ended(&call(Purpose::Verify), Some(&Usage::default()));
        spent.ended(&call(Purpose::Review), None);
        assert_eq!((spent.silent, spent.unpriced), (2, 2));
        spent.ended(&call(Purpose::Verify), Some(&Usage { output: Some(9), ..Usage::default() }));
        assert_eq!((spent.tokens, spent.silent, spent.unpriced), (Some(9), 2, 3));
    }

    #[test]
    fn rule_5_what_nobody_reported_is_unknown_and_not_0() {
        let mut spent = Spent::default();
        spent.add(None);
        assert_eq!((spent.tokens, spent.usd, spent.silent, spent.unpriced), (None, None, 1, 1));
        spent.add(Some(&Usage { input: Some(900), output: Some(100), ..Usage::default() }));
        assert_eq!((spent.tokens, spent.usd, spent.silent, spent.unpriced), (Some(1_000), None, 1, 2));
        spent.add(Some(&Usage { cost_usd: Some(0.25), cached: Some(0), ..Usage::default() }));
        assert_eq!((spent.tokens, spent.usd, spent.silent, spent.unpriced), (Some(1_000), Some(0.25), 1, 2));
        let both = spent.clone().and(&Spent::default()).and(&spent);
        assert_eq!((both.tokens, both.usd, both.silent), (Some(2_000), Some(0.5), 2));
    }
}
