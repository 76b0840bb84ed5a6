"""From a collection to a finished model: pairs, vectors, a learner, a dev measure."""
