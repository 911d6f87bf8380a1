"""A strategist without a language model: a softmax over a finite list of advice."""
